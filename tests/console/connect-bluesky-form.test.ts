/** Bluesky on the hosted page: a credentials form that the platform checks, the reason for a refusal, and a retry. */
import { afterAll, describe, expect, it } from 'vitest';
import { destination, makeLink } from '../harness/connect-links.ts';
import { openBrowser } from '../harness/browser.ts';
import { eventsAbout } from '../harness/posts.ts';
import { startWorld } from '../harness/world.ts';
import { startFakeBluesky } from '../platforms/fakes/fake-bluesky.ts';

const bluesky = await startFakeBluesky({ now: () => world.clock.now() });
afterAll(() => bluesky.close());
const world = await startWorld({ env: { BLUESKY_SERVICE_URL: bluesky.url } });

const APP_PASSWORD = 'abcd-efgh-ijkl-mnop';
const { did: ALICE } = bluesky.addAccount('alice.example.com', APP_PASSWORD);
const LOGIN = { Handle: 'alice.example.com', 'App password': APP_PASSWORD };

describe('Bluesky', () => {
  it('asks for handle, app password and service, and connects', async () => {
    const link = await makeLink(world, { platform: 'bluesky' });
    const browser = openBrowser(world);

    const form = await browser.get(link.path);
    const end = await browser.press(form, 'Connect', LOGIN);

    expect(labelsOf(form.text)).toEqual(['Handle', 'App password', 'Service', 'Server of your account']);
    const { connectionId } = await link.read();
    expect(destination(end.location)[1]).toMatchObject({
      connectionId,
      slug: 'bluesky-alice-example-com',
      platform: 'bluesky',
    });
    const [row] = await world.sql<{ credentials: string; platform_account_id: string }>(
      'select credentials, platform_account_id from connections where id = $1',
      [connectionId],
    );
    expect(row?.platform_account_id).toBe(ALICE);
    expect(row?.credentials).toMatch(/^v1\./);
  });

  it('says why credentials are refused, keeps the safe fields, and lets the customer retry', async () => {
    const link = await makeLink(world, { platform: 'bluesky' });
    const browser = openBrowser(world);

    const form = await browser.get(link.path);
    const refused = await browser.press(form, 'Connect', { ...LOGIN, 'App password': 'wrong-password' });
    const end = await browser.press(refused, 'Connect', { 'App password': APP_PASSWORD });

    expect(refused.status).toBe(422);
    expect(refused.text).toContain('<title>That did not work: Connect Bluesky</title>');
    expect(refused.text).toMatch(/role="alert".*does not accept this credential: Invalid identifier or password/s);
    expect(refused.text).toContain('value="alice.example.com"');
    expect(refused.text).not.toContain('wrong-password');
    expect(destination(end.location)[1]).toMatchObject({ platform: 'bluesky' });
    expect(await link.read()).toMatchObject({ status: 'connected', error: null });
  });

  it('fails with connect_failed when the customer gives up after a refusal', async () => {
    const link = await makeLink(world, { platform: 'bluesky' });
    const browser = openBrowser(world);

    const form = await browser.get(link.path);
    const refused = await browser.press(form, 'Connect', { ...LOGIN, 'App password': 'wrong-password' });
    const end = await browser.press(refused, 'Cancel');

    const failed = { connectSessionId: link.sessionId, error: 'connect_failed' };
    expect(destination(end.location)).toEqual(['https://app.example.com/connected', { tab: '2', ...failed }]);
    expect(await link.read()).toMatchObject({ status: 'failed', error: 'connect_failed', connectionId: null });
  });

  it('names the malformed field, without a call to the platform', async () => {
    const link = await makeLink(world, { platform: 'bluesky' });
    const browser = openBrowser(world);
    const before = bluesky.calls['com.atproto.server.createSession'] ?? 0;

    const form = await browser.get(link.path);
    const malformed = await browser.press(form, 'Connect', { ...LOGIN, Service: 'social.example/path' });
    const missing = await browser.press(form, 'Connect', { Handle: 'alice.example.com' });
    const end = await browser.press(missing, 'Cancel');

    expect(malformed.text).toContain('Service: expected the address of a server without a path');
    expect(missing.text).toContain('App password: please fill this in.');
    expect(bluesky.calls['com.atproto.server.createSession'] ?? 0).toBe(before);
    expect(destination(end.location)[1]).toMatchObject({ error: 'cancelled' });
  });

  it('stops after twenty attempts', async () => {
    const link = await makeLink(world, { platform: 'bluesky' });
    const browser = openBrowser(world);
    const form = await browser.get(link.path);
    for (let tries = 1; tries <= 20; tries += 1) {
      await browser.press(form, 'Connect', { ...LOGIN, 'App password': `guess-${tries}` });
    }

    const end = await browser.press(form, 'Connect', LOGIN);

    expect(destination(end.location)[1]).toMatchObject({ error: 'connect_failed' });
    expect(await link.read()).toMatchObject({ status: 'failed', error: 'connect_failed' });
  });

  it('replaces the credentials of an account that the profile already holds, and changes nothing else', async () => {
    const { id: profileId } = await world.profile('Reconnecting');
    const connected = async () => {
      const link = await makeLink(world, { platform: 'bluesky' }, { profileId });
      const browser = openBrowser(world);
      const end = await browser.press(await browser.get(link.path), 'Connect', LOGIN);
      return destination(end.location)[1];
    };
    const credentials = async (id: string) =>
      (await world.sql<{ credentials: string }>('select credentials from connections where id = $1', [id]))[0];
    const first = await connected();
    const id = first['connectionId'] ?? '';
    await world.rest(`PATCH /connections/${id}/queue`, { body: { slots: [{ weekday: 1, time: '09:00' }] } });
    const { body: before } = await world.rest(`GET /connections/${id}`);
    const old = await credentials(id);

    const again = await connected();

    expect(again).toMatchObject({ connectionId: id, slug: first['slug'], profileId });
    expect((await world.rest(`GET /connections/${id}`)).body).toEqual(before);
    expect(await credentials(id)).not.toEqual(old);
    expect((await eventsAbout(world, id)).map(({ name }) => name)).toEqual(['connection.created']);
  });
});

/** The labels of its fields, in order. */
function labelsOf(text: string): string[] {
  return [...text.matchAll(/<label for="[^"]+">([^<]*)<\/label>/g)].map(([, name]) => name as string);
}
