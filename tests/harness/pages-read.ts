/** Measures how much of the database a read of a service looks at. */
import type { CompiledQuery, KyselyPlugin, QueryId, RootOperationNode } from 'kysely';
import type { Context } from '../../services/context.ts';
import type { World } from './world.ts';

/** Pages of 8 KB, of tables and of their indexes, that the typed queries of a read take from memory. Each runs a second time. */
export async function pagesRead(world: World, read: (context: Context) => Promise<unknown>): Promise<number> {
  const kysely = world.db.queries.getKysely<object>();
  const built = new WeakMap<QueryId, RootOperationNode>();
  const ran: CompiledQuery[] = [];
  const recorder: KyselyPlugin = {
    // Queries within others are built too, and do not run.
    transformQuery: ({ node, queryId }) => {
      built.set(queryId, node);
      return node;
    },
    transformResult: ({ result, queryId }) => {
      const node = built.get(queryId);
      if (node !== undefined) ran.push(kysely.getExecutor().compileQuery(node, queryId));
      return Promise.resolve(result);
    },
  };
  const queries = { getKysely: () => kysely.withPlugin(recorder) } as unknown as Context['db']['queries'];
  await read({ ...world.context, db: { ...world.context.db, queries } });
  let pages = 0;
  for (const { sql, parameters } of ran) {
    const plan = await world.sql<{ 'QUERY PLAN': string }>(`explain (analyze, buffers, costs off) ${sql}`, parameters);
    const [, hit] = /shared hit=(\d+)/.exec(plan.map((row) => row['QUERY PLAN']).join('\n')) ?? [];
    pages += Number(hit ?? 0);
  }
  return pages;
}
