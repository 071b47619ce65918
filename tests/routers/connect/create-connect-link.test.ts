/** POST /connect-sessions: links for own accounts, for profiles, and to connect the account of a connection again. */
import { describe, expect, it } from 'vitest';
import { openBrowser } from '../../harness/browser.ts';
import { connectSandbox, storeBluesky } from '../../harness/connections.ts';
import { destination } from '../../harness/connect-links.ts';
import { refusal, UNKNOWN_ID, UUID } from '../../harness/expected.ts';
import { PUBLIC_URL, startWorld, type RestAnswer } from '../../harness/world.ts';

const world = await startWorld({ env: { X_CLIENT_ID: 'our-app' } });

function open(body: unknown, key = world.liveKey): Promise<RestAnswer> {
  return world.rest('POST /connect-sessions', { key, body });
}

/** Opens the link and presses Connect; gives the address to which the browser goes. */
async function walk({ body }: RestAnswer): Promise<string | null> {
  const browser = openBrowser(world);
  const end = await browser.press(await browser.get(new URL(body.url).pathname), 'Connect');
  return end.location;
}

async function accountId(): Promise<string> {
  const [row] = await world.sql<{ id: string }>('select id from accounts order by id limit 1');
  return row?.id ?? '';
}

describe('200', () => {
  it('connects an own account, and the browser returns to the console', async () => {
    const made = await open({ platform: 'sandbox' });

    const location = await walk(made);

    expect(made).toMatchObject({ status: 200, body: { url: expect.stringContaining(`${PUBLIC_URL}/connect/`) } });
    const [address, query] = destination(location);
    expect(address).toBe(`${PUBLIC_URL}/connections`);
    expect(query).toEqual({
      connectSessionId: made.body.connectSessionId,
      connectionId: UUID,
      slug: expect.stringMatching(/^sandbox/),
      platform: 'sandbox',
    });
    const { body } = await world.rest(`GET /connections/${query['connectionId']}`);
    expect(body.connection).toMatchObject({ profileId: null, platformId: 'sandbox' });
    const read = await world.rest(`GET /connect-sessions/${made.body.connectSessionId}`);
    expect(read.body.connectSession).toEqual({
      id: made.body.connectSessionId,
      profileId: null,
      platform: 'sandbox',
      status: 'connected',
      connectionId: query['connectionId'],
      reconnectConnectionId: null,
      error: null,
      redirectUrl: `${PUBLIC_URL}/connections`,
      headless: false,
      openedAt: '2026-11-21T12:00:00.000Z',
      expiresAt: '2026-11-21T12:15:00.000Z',
      createdAt: '2026-11-21T12:00:00.000Z',
    });
  });

  it('connects an account into a profile, and returns to the address of the caller', async () => {
    const { id: profileId } = await world.profile();
    const made = await open({ profileId, platform: 'sandbox', redirectUrl: 'https://app.example/done' });

    const [address, query] = destination(await walk(made));

    expect(address).toBe('https://app.example/done');
    expect(query).toMatchObject({ profileId });
  });

  it('connects the account of a connection again, which keeps id, slug, queue and posts, and emits nothing', async () => {
    const { id, slug } = await connectSandbox(world, { slug: 'keeps-all' });
    const slots = [{ weekday: 1, time: '09:00' }];
    await world.rest(`PATCH /connections/${id}/queue`, { body: { slots } });
    await world.sql(`update connections set reconnect_since = $2, reconnect_reason = 'Ended.' where id = $1`, [
      id,
      world.clock.now(),
    ]);
    await world.rest('POST /webhooks', { body: { url: 'http://127.0.0.1:9/hook', events: ['connection.created'] } });
    const made = await open({ reconnectConnectionId: id });

    const [address, query] = destination(await walk(made));

    expect([address, query['connectionId']]).toEqual([`${PUBLIC_URL}/connections/${id}`, id]);
    const { body } = await world.rest(`GET /connections/${id}`);
    expect(body.connection).toMatchObject({ id, slug, queueSlots: slots, reconnectRequired: null });
    expect(await world.sql('select id from deliveries')).toEqual([]);
  });
});

describe('a link that connects an account again', () => {
  it('refuses another account, says whose login is needed, and lets the person try again', async () => {
    const { id } = await connectSandbox(world, { slug: 'of-alice' });
    // Not a platform that opens accounts: the login decides which account it is.
    await world.sql(`update connections set handle = 'alice' where id = $1`, [id]);
    const made = await open({ reconnectConnectionId: id });
    const { sandbox } = world.context.platforms as unknown as Record<string, { opensAccounts?: true }>;
    delete sandbox?.opensAccounts;
    const browser = openBrowser(world);

    const refused = await browser.press(await browser.get(new URL(made.body.url).pathname), 'Connect');

    if (sandbox !== undefined) sandbox.opensAccounts = true;
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('This connects alice again, and the login belongs to sandbox.');
    const { location } = await browser.press(refused, 'Connect');
    expect(destination(location)[1]).toMatchObject({ connectionId: id });
  });

  it('connects nothing when the connection was deleted meanwhile', async () => {
    const { id } = await connectSandbox(world);
    const made = await open({ reconnectConnectionId: id });
    await world.rest(`DELETE /connections/${id}`);

    const [, query] = destination(await walk(made));

    expect(query).toEqual({ connectSessionId: made.body.connectSessionId, error: 'connect_failed' });
  });
});

describe('refusals', () => {
  it('400 for a platform that this install cannot connect, also through a connection', async () => {
    const { id } = await storeBluesky(world, await accountId());
    await world.sql(`update connections set platform_id = 'linkedin' where id = $1`, [id]);

    const answers = [await open({ platform: 'linkedin' }), await open({ reconnectConnectionId: id })];

    for (const { status, body } of answers) {
      expect([status, body.message]).toEqual([
        400,
        expect.stringMatching(/^platform: "linkedin" cannot be connected on this install\./),
      ]);
    }
  });

  it('400 for a connection together with platform or profile', async () => {
    const { id } = await connectSandbox(world);

    expect(await open({ reconnectConnectionId: id, platform: 'sandbox' })).toMatchObject({ status: 400 });
    expect(await open({ reconnectConnectionId: id, profileId: null })).toMatchObject({ status: 400 });
  });

  it('404 for a profile or a connection that is not the caller’s', async () => {
    expect(await open({ profileId: UNKNOWN_ID })).toMatchObject({ status: 404 });
    expect(await open({ reconnectConnectionId: UNKNOWN_ID })).toMatchObject({ status: 404 });
  });

  it('400 for the console when the key’s allowlist does not name this install', async () => {
    const { id, secret } = await world.key();
    await world.sql('update api_keys set redirect_allowlist = $2 where id = $1', [id, ['https://app.example']]);

    const { status, body } = await open({}, secret);

    const message = `redirectUrl: this key allows redirects only to https://app.example, not to ${PUBLIC_URL}.`;
    expect({ status, body }).toEqual({ status: 400, body: refusal('invalid_request', message) });
  });
});

it('a link that connects again does not follow the connection into another profile', async () => {
  const [from, to] = [await world.profile('A'), await world.profile('B')];
  const { id } = await connectSandbox(world, { profileId: from.id, slug: 'moves-away' });
  const made = await open({ reconnectConnectionId: id });
  await world.rest(`PATCH /connections/${id}`, { body: { profileId: to.id } });

  await walk(made);

  const { body } = await world.rest(`GET /connect-sessions/${made.body.connectSessionId}`);
  expect(body.connectSession).toMatchObject({ status: 'failed', error: 'connect_failed' });
});
