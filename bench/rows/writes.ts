/** writes: posts to the sandbox that are sent within the request, for twenty concurrent clients. */
import { cp } from 'node:fs/promises';
import type { Client } from 'pg';
import { connectSandboxes, HEADERS, postBody, publish } from '../api.ts';
import { createDatabase, createFolder } from '../databases.ts';
import { load, WARM_UP_SECONDS } from '../load.ts';
import { type BenchProcess, prepareOnPostgres, startOnPglite, startOnPostgres, startPeer } from '../processes.ts';
import { alternate, costsOf } from '../rounds.ts';
import type { Finding, Row } from '../row.ts';

export const writes: Row = {
  name: 'writes',
  run: async () => [await onPostgres(), await onPglite()],
};

async function onPostgres(): Promise<Finding> {
  await using database = await createDatabase();
  await using folder = await createFolder();
  const prepared = await prepareOnPostgres(database.url, folder.path, publishOne);
  await using ours = await startOnPostgres(database.url, folder.path, 'web');
  await using baseline = await startPeer('baseline-server.ts', {
    DATABASE_URL: database.url,
    POST_ID: prepared.postId,
  });
  const finding = await compare({
    row: 'writes',
    ours,
    baseline,
    client: database.client,
    slugs: prepared.slugs,
    target: 0.8,
    rounds: 5,
  });
  await refuseUnsent(database.client);
  return finding;
}

// Only one process can open an embedded database, so each side writes into a separate copy.
async function onPglite(): Promise<Finding> {
  await using folder = await createFolder();
  await using copy = await createFolder();
  let prepared: Prepared;
  {
    await using first = await startOnPglite(folder.path);
    prepared = await publishOne(first.origin);
  }
  await cp(folder.path, copy.path, { recursive: true });
  await using ours = await startOnPglite(folder.path);
  await using baseline = await startPeer('baseline-server.ts', {
    DATA_DIR: `${copy.path}/db`,
    POST_ID: prepared.postId,
  });
  return await compare({
    row: 'writes, PGlite',
    ours,
    baseline,
    client: null,
    slugs: prepared.slugs,
    rounds: 3,
  });
}

/** A post to copy, and the origin to post to. */
interface Prepared {
  readonly postId: string;
  readonly slugs: readonly string[];
}

async function publishOne(origin: string): Promise<Prepared> {
  const slugs = await connectSandboxes(origin, 1);
  const [postId] = await publish(origin, slugs);
  if (postId === undefined) throw new Error('no post was made');
  return { postId, slugs };
}

interface Comparison {
  readonly row: string;
  readonly ours: BenchProcess;
  readonly baseline: BenchProcess;
  /** Null for the embedded database, which runs in the process. */
  readonly client: Client | null;
  readonly slugs: readonly string[];
  readonly target?: number;
  readonly rounds: number;
}

async function compare({ ours, baseline, client, slugs, ...sides }: Comparison): Promise<Finding> {
  const body = JSON.stringify(postBody(slugs));
  const ask = ({ origin }: BenchProcess) => ({ url: `${origin}/api/v2/posts`, headers: HEADERS, body });
  await load(ask(baseline), WARM_UP_SECONDS)();
  await load(ask(ours), WARM_UP_SECONDS)();
  // As autovacuum does within a minute: both sides would keep plans that were made for empty tables.
  await client?.query('analyze');
  return alternate({
    ...sides,
    unit: 'posts/s',
    ours: load(ask(ours)),
    baseline: load(ask(baseline)),
    costs: { ours: costsOf(ours, client), baseline: costsOf(baseline, client) },
  });
}

/**
 * A side that answers before its work is done would win unfairly. Clients stopped at the end of a round may leave a few
 * posts unsent.
 */
async function refuseUnsent(client: { query(sql: string): Promise<{ rows: unknown[] }> }): Promise<void> {
  const { rows } = await client.query(`select id from posts where status <> 'sent' limit 1000`);
  if (rows.length > 500) throw new Error(`${rows.length} posts were answered and not sent`);
}
