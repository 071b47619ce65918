/** GET /connect-sessions/{connectSessionId} returns the status of a session to keys that can reach it. */
import { describe, expect, it } from 'vitest';
import { makeAccount } from '../../harness/accounts.ts';
import { UNKNOWN_ID, refusal } from '../../harness/expected.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();
const { id: profileId } = await world.profile();

/** Creates a session and returns its id. */
async function openSession(key = world.liveKey): Promise<string> {
  const { body } = await world.rest(`POST /profiles/${profileId}/connect`, {
    key,
    body: { redirectUrl: 'https://app.example.com/connected' },
  });
  return body.connectSessionId;
}

describe('200', () => {
  it('shows a pending session', async () => {
    const id = await openSession();

    const { status, body } = await world.rest(`GET /connect-sessions/${id}`);

    expect(status).toBe(200);
    const now = world.clock.now().getTime();
    expect(body).toEqual({
      connectSession: {
        id,
        profileId,
        platform: null,
        status: 'pending',
        connectionId: null,
        reconnectConnectionId: null,
        error: null,
        redirectUrl: 'https://app.example.com/connected',
        headless: false,
        openedAt: null,
        expiresAt: new Date(now + 900_000).toISOString(),
        createdAt: new Date(now).toISOString(),
      },
    });
  });

  it('shows it as expired after fifteen minutes, before and after housekeeping', async () => {
    const id = await openSession();
    const status = async () => (await world.rest(`GET /connect-sessions/${id}`)).body.connectSession.status;

    world.clock.advance(899_999);
    const before = await status();
    world.clock.advance(1);
    const after = await status();
    await world.housekeep();

    expect([before, after, await status()]).toEqual(['pending', 'expired', 'expired']);
  });

  it('is readable with every key of the account that reaches the profile', async () => {
    const scoped = await world.key({ profileId });
    const id = await openSession(scoped.secret);

    const read = await Promise.all(
      [world.liveKey, scoped.secret].map((key) => world.rest(`GET /connect-sessions/${id}`, { key })),
    );

    expect(read.map(({ status }) => status)).toEqual([200, 200]);
  });
});

describe('400 invalid_request', () => {
  it('refuses a malformed id', async () => {
    const { status, body } = await world.rest('GET /connect-sessions/acme');

    expect(status).toBe(400);
    expect(body).toMatchObject({ error: 'invalid_request', message: 'connectSessionId: expected a UUID.' });
  });
});

describe('404 not_found', () => {
  it('deletes a session thirty days after its end, and not earlier', async () => {
    const id = await openSession();
    const ask = async () => (await world.rest(`GET /connect-sessions/${id}`)).status;
    const DAYS_30 = 30 * 86_400_000;

    for (const ms of [900_000, DAYS_30 - 1]) {
      world.clock.advance(ms);
      await world.housekeep();
    }
    expect(await ask()).toBe(200);
    world.clock.advance(1);
    await world.housekeep();

    expect(await ask()).toBe(404);
  });

  it.each([
    ['no key, when there is no such session', async () => ({ id: UNKNOWN_ID, key: world.liveKey })],
    ['another account’s key', async () => ({ id: await openSession(), key: (await makeAccount(world)).key })],
    [
      'a key scoped to another profile',
      async () => {
        const other = await world.profile('Globex');
        return { id: await openSession(), key: (await world.key({ profileId: other.id })).secret };
      },
    ],
    ['a test key, when a live key made it', async () => ({ id: await openSession(), key: world.testKey })],
  ])('is the answer to %s', async (_case, arrange) => {
    const { id, key } = await arrange();

    const { status, body } = await world.rest(`GET /connect-sessions/${id}`, { key });

    expect(status).toBe(404);
    expect(body).toEqual(refusal('not_found', `No connect session of yours has the id ${id}.`));
  });
});
