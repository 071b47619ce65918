/**
 * Posts that a stop holds after a restore: they may have gone out after the backup was made, so they are looked up like the
 * others (docs/decisions/0086-hold-due-posts-after-a-restore.md).
 */
import { afterAll, describe, expect, it } from 'vitest';
import { restoreCommand } from '../../../cli/restore-command.ts';
import { OPERATOR } from '../../harness/owner.ts';
import { makePost } from '../../harness/posts.ts';
import { startWorld } from '../../harness/world.ts';
import { startFakeMastodon } from '../../platforms/fakes/fake-mastodon.ts';

const MINUTE_MS = 60_000;

const world = await startWorld({ env: { OPERATOR_TOKEN: OPERATOR } });
const server = await startFakeMastodon({ now: () => world.clock.now() });
afterAll(() => server.close());
server.addAccount('alice', 'token');
const credentials = { instanceUrl: server.url, accessToken: 'token' };
await world.rest('POST /connections', { body: { platformId: 'mastodon', slug: 'masto', credentials } });

/** Runs `npm run carillon -- restore`. */
function restore(...args: string[]): Promise<string> {
  return restoreCommand(fetch, args, { PUBLIC_URL: world.url, OPERATOR_TOKEN: OPERATOR });
}

const created = () => server.calls['POST /api/v1/statuses'] ?? 0;

async function post(postId: string) {
  return (await world.rest(`GET /posts/${postId}`)).body.post;
}

async function stop(): Promise<string> {
  return (await world.rest('POST /stops', { body: {} })).body.stop.id;
}

async function release(stopId: string): Promise<void> {
  await world.rest(`POST /stops/${stopId}/release`, { body: { posts: 'send' } });
  await world.advance(2 * MINUTE_MS);
}

/** A post that goes out, and the same post in a restored backup that is older. */
async function restoredPost() {
  const scheduledFor = new Date(world.clock.now().getTime() + MINUTE_MS).toISOString();
  const { postId } = await makePost(world, 'masto', { text: 'hello', scheduledFor });
  await world.advance(MINUTE_MS);
  const { platformPostId } = await post(postId);
  const before = created();
  await world.sql('delete from attempts');
  await world.sql(
    `update posts set status = 'scheduled', platform_post_id = null, url = null, sent_at = null where id = $1`,
    [postId],
  );
  await world.sql(`update database_marks set home = 'of another database'`);
  return { postId, platformPostId, before };
}

describe('a post that a stop holds, and that went out after the backup was made', () => {
  it('is settled with the held posts, and not sent again when the stop is released', async () => {
    const { postId, platformPostId, before } = await restoredPost();
    const stopId = await stop();
    await world.runDue();
    expect(await post(postId)).toMatchObject({ status: 'scheduled', stopId });
    expect(await restore('status')).toMatch(/^Held: 1 post that was due by /);

    await restore('settle');
    await world.runDue();
    await release(stopId);

    expect(await post(postId)).toMatchObject({ status: 'sent', platformPostId, stopId: null, error: null });
    expect(created()).toBe(before);
    expect(await restore('status')).toBe('No posts are held.\n');
  });

  it('waits for the operator when the stop is released first', async () => {
    const { postId, platformPostId, before } = await restoredPost();
    const stopId = await stop();
    await world.runDue();
    await release(stopId);
    expect(await post(postId)).toMatchObject({ status: 'scheduled', stopId: null });

    await restore('settle');
    await world.runDue();

    expect(await post(postId)).toMatchObject({ status: 'sent', platformPostId });
    expect(created()).toBe(before);
  });

  it('counts once when its queue is paused, too, and stays stopped when the operator releases it', async () => {
    const { postId, before } = await restoredPost();
    const { connections } = (await world.rest('GET /connections')).body;
    const pause = (paused: boolean) =>
      world.rest(`PATCH /connections/${connections[0].id}/queue`, { body: { paused } });
    await pause(true);
    const stopId = await stop();
    await world.runDue();
    expect(await restore('status')).toMatch(/^Held: 1 post that was due by /);

    expect(await restore('release')).toBe('No posts are held.\n');
    await world.advance(2 * MINUTE_MS);

    expect(await post(postId)).toMatchObject({ status: 'scheduled', stopId });
    expect(created()).toBe(before);
    await world.rest(`POST /stops/${stopId}/release`, { body: { posts: 'drop' } });
    await pause(false);
  });
});
