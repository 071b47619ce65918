/** Metrics of a platform that is read for all accounts at once, when a credential cannot be decrypted. */
import { afterAll, expect, it } from 'vitest';
import { makeAccount } from '../../harness/accounts.ts';
import { makePost } from '../../harness/posts.ts';
import { startWorld } from '../../harness/world.ts';
import { startFakeBluesky } from '../../platforms/fakes/fake-bluesky.ts';

const bluesky = await startFakeBluesky({ now: () => world.clock.now() });
const world = await startWorld({ env: { BLUESKY_SERVICE_URL: bluesky.url, BLUESKY_APPVIEW_URL: bluesky.url } });
afterAll(() => bluesky.close());

const HOUR = 3_600_000;

const asked = () => bluesky.calls['app.bsky.feed.getPosts'] ?? 0;

/** A post of a new account. */
async function post(handle: string) {
  bluesky.addAccount(handle, 'abcd-efgh-ijkl-mnop');
  const { key } = await makeAccount(world);
  const credentials = { identifier: handle, appPassword: 'abcd-efgh-ijkl-mnop' };
  const body = { platformId: 'bluesky', credentials, slug: 'bells' };
  const connected = await world.rest('POST /connections', { key, body });
  const { postId } = await makePost(world, 'bells', { key });
  const id = connected.body.connection.id as string;
  return {
    reads: async () => (await world.rest(`GET /posts/${postId}/metrics`, { key })).body.history.length as number,
    isReadAt: async () => {
      const [row] = await world.sql<{ at: string }>('select next_read_at as at from posts where id = $1', [postId]);
      return new Date(row?.at ?? 0);
    },
    /** A credential is bound to its connection. */
    breakCredential: () =>
      world.sql('update connections set credentials = $2 where id = $1', [id, world.context.vault.seal({}, postId)]),
  };
}

it('are read with the session of another account, for the posts of both', async () => {
  const broken = await post('alice.test');
  await broken.breakCredential();
  world.clock.advance(1);
  const sound = await post('bob.test');
  const before = asked();

  await world.advance(HOUR);

  expect(asked() - before).toBe(1);
  expect([await broken.reads(), await sound.reads()]).toEqual([1, 1]);
  expect(await world.sql('select batch from read_pauses')).toEqual([]);
});

it('wait for their next time, and pause nothing, when no credential can be decrypted', async () => {
  await world.sql('update posts set next_read_at = null');
  const sentAt = world.clock.now().getTime();
  const broken = await post('carol.test');
  await broken.breakCredential();
  const before = asked();

  await world.advance(HOUR);

  expect(asked() - before).toBe(0);
  expect(await broken.isReadAt()).toEqual(new Date(sentAt + 2 * HOUR));
  expect(await world.sql('select batch from read_pauses')).toEqual([]);
});
