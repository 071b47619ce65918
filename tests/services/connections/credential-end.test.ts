/** When a login ends that cannot be renewed, as the connection says it. */
import { afterAll, expect, it } from 'vitest';
import { startWorld } from '../../harness/world.ts';
import { startFakeLinkedIn } from '../../platforms/fakes/fake-linkedin.ts';
import { startFakeReddit } from '../../platforms/fakes/fake-reddit.ts';
import { startFakeThreads } from '../../platforms/fakes/fake-threads.ts';
import { startFakeX } from '../../platforms/fakes/fake-x.ts';

const now = () => world.clock.now();
const [linkedin, reddit, threads, x] = [
  await startFakeLinkedIn({ now }),
  await startFakeReddit({ now }),
  await startFakeThreads({ now }),
  await startFakeX({ now }),
];
afterAll(() => Promise.all([linkedin.close(), reddit.close(), threads.close(), x.close()]));
const ADDRESSES = {
  LINKEDIN_API_URL: linkedin.url,
  LINKEDIN_AUTH_URL: linkedin.url,
  REDDIT_API_URL: reddit.url,
  REDDIT_AUTH_URL: reddit.url,
  THREADS_API_URL: threads.url,
  X_API_URL: x.url,
};
const world = await startWorld({ env: ADDRESSES });
linkedin.addMember('a1B2', 'Alice', 'token-of-alice');
for (const server of [reddit, x]) server.addAccount('alice', 'token-of-alice');
threads.addAccount('17841400000000001', 'alice', 'token-of-alice');

const DAY = 86_400_000;
const from = (ms: number) => new Date(now().getTime() + ms).toISOString();

async function connect(platformId: string, expiresAt: string, more: object = {}) {
  const credentials = { accessToken: 'token-of-alice', expiresAt, ...more };
  const { id: profileId } = await world.profile();
  const { body } = await world.rest('POST /connections', { body: { platformId, credentials, profileId } });
  return body.connection;
}

it.each(['linkedin', 'x', 'reddit'])('is the instant that was given with an access token of %s', async (platformId) => {
  const expiresAt = from(3 * DAY);

  const connection = await connect(platformId, expiresAt);

  expect([connection.credentialEndsAt, connection.credentialRenewsAt]).toEqual([expiresAt, null]);
  const read = await world.rest(`GET /connections/${connection.id}`);
  expect(read.body.connection).toEqual(connection);
});

it('is the end also with a refresh token of an app that is not set up, and posts go out until then', async () => {
  const expiresAt = from(3 * DAY);
  const { slug, profileId, credentialEndsAt } = await connect('linkedin', expiresAt, { refreshToken: 'refresh-1' });

  world.clock.advance(2 * DAY);
  const { body } = await world.rest('POST /posts', { body: { text: 'Ding', connectionSlugs: [slug], profileId } });

  expect(credentialEndsAt).toBe(expiresAt);
  expect(body.results[0]).toMatchObject({ status: 'sent', error: null });
});

it('is unknown for one that is renewed before', async () => {
  const { credentialEndsAt, credentialRenewsAt } = await connect('threads', from(30 * DAY));

  expect([credentialEndsAt, credentialRenewsAt]).toEqual([null, from(20 * DAY)]);
});

it.each([
  ['0000-12-31T23:59:59Z', null],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
  ['9999-12-31T23:59:59-12:00', null],
])('is unknown in a year that the database cannot store: %s', async (expiresAt, credentialEndsAt) => {
  expect(await connect('x', expiresAt)).toMatchObject({ credentialEndsAt, reconnectRequired: null });
});
