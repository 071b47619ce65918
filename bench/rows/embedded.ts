/**
 * embedded: reads from an install on the embedded database that has grown from nothing while it ran. Its statistics and
 * its plans must follow, also without a restart.
 */
import { cp } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';
import { call, connectSandboxes, HEADERS, postBody, publish } from '../api.ts';
import { createFolder } from '../databases.ts';
import { load } from '../load.ts';
import { startOnPglite, startPeer } from '../processes.ts';
import { alternate } from '../rounds.ts';
import type { Row } from '../row.ts';
import { COPY_POSTS } from '../stored-posts.ts';

const PATH = '/posts?limit=25';

/** Connections, and therefore posts of a request. */
const CONNECTIONS = 50;

const SENDS = 20;
const DRAFTS = 180;
const AT_ONCE = 8;

export const embedded: Row = {
  name: 'embedded',
  run: async () => {
    await using folder = await createFolder();
    await using copy = await createFolder();
    await using ours = await startOnPglite(folder.path);
    const slugs = await connectSandboxes(ours.origin, CONNECTIONS);
    const ask = (origin: string) => ({ url: `${origin}/api/v2${PATH}`, headers: HEADERS });
    // Plans of the empty tables are prepared and kept.
    await load(ask(ours.origin))();
    await inTurns(SENDS, () => publish(ours.origin, slugs));
    await inTurns(DRAFTS, () => call(ours.origin, '/posts', { ...postBody(slugs), isDraft: true }));

    const postId = await copyOfPosts(copy.path);
    await using baseline = await startPeer('baseline-server.ts', { DATA_DIR: `${copy.path}/db`, POST_ID: postId });
    const finding = await alternate({
      row: 'embedded, reads after 10,000 posts',
      ours: load(ask(ours.origin)),
      baseline: load(ask(baseline.origin)),
      unit: 'req/s',
      target: 0.7,
      rounds: 3,
    });
    return [finding];
  },
};

/** Runs the work `times` times, AT_ONCE at a time. */
async function inTurns(times: number, work: () => Promise<unknown>): Promise<void> {
  let begun = 0;
  const loop = async () => {
    while (begun < times) {
      begun += 1;
      await work();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, loop));
}

/** An embedded database with as many posts, in the best state; gives the id of one. */
async function copyOfPosts(path: string): Promise<string> {
  await using folder = await createFolder();
  let postId: string | undefined;
  {
    await using first = await startOnPglite(folder.path);
    [postId] = await publish(first.origin, await connectSandboxes(first.origin, 1));
  }
  const lite = await PGlite.create(`${folder.path}/db`);
  await lite.query(COPY_POSTS, [postId]);
  await lite.query('vacuum analyze');
  await lite.close();
  await cp(folder.path, path, { recursive: true });
  return postId ?? '';
}
