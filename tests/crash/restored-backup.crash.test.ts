/**
 * A dump is restored into the database of running processes: what went out since is held and not sent again
 * (docs/decisions/0086-hold-due-posts-after-a-restore.md).
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startFakeMastodon } from '../platforms/fakes/fake-mastodon.ts';
import { post, type PostBody, postOf, settled } from './posts.ts';
import { ENGINE, freePort, newFolder, newInstall, type ServerProcess } from './server-process.ts';
import { waitUntil } from './wait-until.ts';

const OPERATOR_TOKEN = 'operator-token-of-at-least-32-characters';
const CREATE = 'POST /api/v1/statuses';
const COUNT = 5;

async function held(web: ServerProcess, decision?: string): Promise<{ heldUntil: string | null; posts: number }> {
  const response = await fetch(`${web.url}/operator/restore`, {
    method: decision === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
    ...(decision === undefined ? {} : { body: JSON.stringify({ decision }) }),
  });
  return response.json() as never;
}

describe.runIf(ENGINE === 'postgres')('on PostgreSQL', () => {
  it('posts that went out after the dump are held by running and by restarted workers, and found when looked up', async () => {
    const platform = await startFakeMastodon({ now: () => new Date() });
    onTestFinished(() => platform.close());
    platform.addAccount('alice', 'token');
    const install = await newInstall({ OPERATOR_TOKEN });
    const web = await install.start({ ROLE: 'web' });
    const PORT = String(await freePort());
    const first = await install.start({ ROLE: 'worker', PORT });
    const credentials = { instanceUrl: platform.url, accessToken: 'token' };
    await web.rest('POST /connections', { body: { platformId: 'mastodon', slug: 'alice', credentials } });
    const due = new Date(Date.now() + 4_000);
    const texts = Array.from({ length: COUNT }, (_, index) => `post ${index}`);
    const ids = await Promise.all(texts.map(async (text) => (await post(web, 'alice', text, due)).postId as string));
    const dump = join(await newFolder(), 'dump');
    execFileSync('pg_dump', ['--format=custom', `--file=${dump}`, `--dbname=${install.databaseUrl}`]);
    const sent = await Promise.all(ids.map((id) => settled(web, id)));
    expect(sent.map(({ status }) => status)).toEqual(ids.map(() => 'sent'));

    execFileSync('pg_restore', ['--clean', '--if-exists', `--dbname=${install.databaseUrl}`, dump]);

    const hold = await waitUntil('the restore is noticed', async () => {
      const answer = await held(web).catch(() => null);
      return answer?.heldUntil != null && answer;
    });
    expect(hold.posts).toBe(COUNT);
    await first.stop();
    const second = await install.start({ ROLE: 'worker', PORT });
    const later = await post(web, 'alice', 'later', new Date(Date.now() + 1_000));
    expect(await settled(web, later.postId)).toMatchObject({ status: 'sent' });
    const waiting = (await web.rest('GET /posts?status=scheduled')).body.posts as PostBody[];
    expect(new Set(waiting.map(({ id }) => id))).toEqual(new Set(ids));

    await held(web, 'settle');

    await waitUntil('the held posts are settled', async () => (await held(web)).heldUntil === null);
    for (const [index, id] of ids.entries()) {
      expect(await postOf(web, id)).toMatchObject({ status: 'sent', platformPostId: sent[index]?.platformPostId });
    }
    expect(platform.calls[CREATE]).toBe(COUNT + 1);
    expect(platform.posts()).toHaveLength(COUNT + 1);
    await second.stop();
  });
});
