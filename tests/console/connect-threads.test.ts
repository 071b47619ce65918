/** Threads on the hosted page: its own consent page, and a token for sixty days. */
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { type Browser, openBrowser } from '../harness/browser.ts';
import { destination, makeLink, type TestLink } from '../harness/connect-links.ts';
import { PUBLIC_URL, startWorld } from '../harness/world.ts';
import { startFakeThreads } from '../platforms/fakes/fake-threads.ts';

const threads = await startFakeThreads({ now: () => world.clock.now() });
afterAll(() => threads.close());
const world = await startWorld({
  env: {
    THREADS_CLIENT_ID: 'our-app',
    THREADS_CLIENT_SECRET: 'our-secret',
    THREADS_API_URL: threads.url,
    THREADS_AUTH_URL: threads.url,
  },
});
threads.addAccount('24000000000000001', 'alice', 'token-of-alice');

const ourApp = (clientSecret = 'our-secret') =>
  threads.consent.apps.set('our-app', {
    clientSecret,
    redirectUri: `${PUBLIC_URL}/connect/callback/threads`,
    scope: 'threads_basic,threads_content_publish',
  });

beforeEach(() => {
  threads.consent.signedIn = 'alice';
  ourApp();
});

/** Opens a link, agrees on Threads' page, and returns; gives the browser and its next redirect. */
async function agree(
  link: TestLink,
  change: (back: URL) => void = () => undefined,
): Promise<{ browser: Browser; location: string }> {
  const browser = openBrowser(world);
  const away = await browser.get(link.path);
  const answer = await fetch(away.location ?? '', { redirect: 'manual' });
  const address = new URL(answer.headers.get('location') ?? '');
  change(address);
  const back = await browser.get(address.href);
  return { browser, location: back.location ?? '' };
}

it('connects the approved account, with a token for sixty days, and can post with it', async () => {
  const link = await makeLink(world, { platform: 'threads' });

  const { location } = await agree(link);

  const [, query] = destination(location);
  expect(query).toMatchObject({ slug: 'threads-alice', platform: 'threads' });
  const id = query['connectionId'] ?? '';
  const [row] = await world.sql<{ credentials: string }>('select credentials from connections where id = $1', [id]);
  expect(world.context.vault.open(row?.credentials ?? '', id)).toEqual({
    accessToken: expect.stringMatching(/^long-alice/) as string,
    expiresAt: new Date(world.clock.now().getTime() + 60 * 86_400_000).toISOString(),
  });
  const body = { text: 'Ding', connectionSlugs: ['threads-alice'], profileId: link.profileId };
  expect((await world.rest('POST /posts', { body })).body.results[0].status).toBe('sent');
});

describe('a refusal', () => {
  it('of the app is shown, with a way to retry and without the secret', async () => {
    const link = await makeLink(world, { platform: 'threads' });

    const { browser, location } = await agree(link, () => ourApp('another'));
    const page = await browser.get(location);

    expect(page.text).toContain('Threads refused: Invalid authorization code');
    expect(page.text).not.toContain('our-secret');
    expect(page.text).toMatch(/>\s*Connect\s*<\/button>/);
  });

  it.each([
    [
      'is not taken any more',
      { status: 400, json: { error: { code: 190, message: 'expired' } } },
      'Threads does not accept this credential',
    ],
    ['brings no answer', { status: 500, json: {} }, 'Threads answered HTTP 500.'],
    ['brings something else', { status: 200, json: {} }, 'Threads answered without a token'],
  ])('of a code whose token %s is shown', async (_case, answer, message) => {
    threads.answers['GET /access_token'] = [answer];
    const link = await makeLink(world, { platform: 'threads' });

    const { browser, location } = await agree(link);

    expect((await browser.get(location)).text).toContain(message);
  });

  it('on the page ends the session as cancelled', async () => {
    threads.consent.signedIn = null;
    const link = await makeLink(world, { platform: 'threads' });

    const { location } = await agree(link);

    expect(destination(location)[1]).toMatchObject({ error: 'cancelled' });
  });

  it('of a forged state connects nothing', async () => {
    const link = await makeLink(world, { platform: 'threads' });

    const { location } = await agree(link, (back) => back.searchParams.set('state', 'forged'));

    expect(location).not.toContain('connectionId');
    expect(await link.read()).toMatchObject({ status: 'pending', connectionId: null });
  });
});

it('is offered only when the operator has an app for Threads', async () => {
  await using without = await startWorld();
  const profile = await without.profile();
  const body = { redirectUrl: 'https://app.example/done', platform: 'threads' };

  const answer = await without.rest(`POST /profiles/${profile.id}/connect`, { body });
  const { body: listed } = await world.rest('GET /platforms');

  const connects = listed.platforms.find(({ id }: { id: string }) => id === 'threads').connect;
  expect([answer.status, answer.body.error, connects]).toEqual([400, 'invalid_request', ['credentials', 'page']]);
});
