/** reads: a page of 25 out of ten thousand stored posts, for twenty concurrent clients. */
import { deepStrictEqual } from 'node:assert/strict';
import { cp } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';
import type { Client } from 'pg';
import { call, connectSandboxes, HEADERS, publish } from '../api.ts';
import { createDatabase, createFolder } from '../databases.ts';
import { load, WARM_UP_SECONDS } from '../load.ts';
import { type BenchProcess, prepareOnPostgres, startOnPglite, startOnPostgres, startPeer } from '../processes.ts';
import { alternate, costsOf } from '../rounds.ts';
import type { Finding, Row } from '../row.ts';
import { COPY_POSTS } from '../stored-posts.ts';

const PATH = '/posts?limit=25';

export const reads: Row = {
  name: 'reads',
  run: async () => [await onPostgres(), await onPglite()],
};

async function onPostgres(): Promise<Finding> {
  await using database = await createDatabase();
  await using folder = await createFolder();
  const postId = await prepareOnPostgres(database.url, folder.path, publishOne);
  await using ours = await startOnPostgres(database.url, folder.path, 'web');
  await database.client.query(COPY_POSTS, [postId]);
  await database.client.query('vacuum analyze');
  await using baseline = await startPeer('baseline-server.ts', { DATABASE_URL: database.url, POST_ID: postId });
  return await compare({ row: 'reads', ours, baseline, client: database.client, target: 0.8, rounds: 5 });
}

// Only one process can open an embedded database, so each side reads a separate copy.
async function onPglite(): Promise<Finding> {
  await using folder = await createFolder();
  await using copy = await createFolder();
  let postId: string;
  {
    await using first = await startOnPglite(folder.path);
    postId = await publishOne(first.origin);
  }
  const lite = await PGlite.create(`${folder.path}/db`);
  await lite.query(COPY_POSTS, [postId]);
  await lite.query('vacuum analyze');
  await lite.close();
  await cp(folder.path, copy.path, { recursive: true });
  await using ours = await startOnPglite(folder.path);
  await using baseline = await startPeer('baseline-server.ts', { DATA_DIR: `${copy.path}/db`, POST_ID: postId });
  return await compare({ row: 'reads, PGlite', ours, baseline, client: null, target: 0.7, rounds: 3 });
}

async function publishOne(origin: string): Promise<string> {
  const slugs = await connectSandboxes(origin, 1);
  const [postId] = await publish(origin, slugs);
  if (postId === undefined) throw new Error('no post was made');
  return postId;
}

interface Comparison {
  readonly row: string;
  readonly ours: BenchProcess;
  readonly baseline: BenchProcess;
  /** Null for the embedded database, which runs in the process. */
  readonly client: Client | null;
  readonly target?: number;
  readonly rounds: number;
}

async function compare({ ours, baseline, client, ...sides }: Comparison): Promise<Finding> {
  deepStrictEqual(await call(baseline.origin, PATH), await call(ours.origin, PATH), 'both sides must answer the same');
  const ask = ({ origin }: BenchProcess) => ({ url: `${origin}/api/v2${PATH}`, headers: HEADERS });
  await load(ask(baseline), WARM_UP_SECONDS)();
  await load(ask(ours), WARM_UP_SECONDS)();
  return alternate({
    ...sides,
    unit: 'req/s',
    ours: load(ask(ours)),
    baseline: load(ask(baseline)),
    costs: { ours: costsOf(ours, client), baseline: costsOf(baseline, client) },
  });
}
