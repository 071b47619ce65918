/** Intervenes in the queries of an entity manager: a concurrent action right after a read, or a database that fails. */
import type { KyselyPlugin } from 'kysely';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { type Queries, runSql } from '../../entities/statement.ts';
import type { Context } from '../../services/context.ts';

/** An entity manager whose typed queries and statements get their results through `pass`; the ORM's do not. */
export function withResults(em: SqlEntityManager, pass: KyselyPlugin['transformResult']): SqlEntityManager {
  const plugin: KyselyPlugin = { transformQuery: ({ node }) => node, transformResult: pass };
  return new Proxy(em, {
    get: (target, name) =>
      name === 'getKysely' ? () => target.getKysely().withPlugin(plugin) : (Reflect.get(target, name) as unknown),
  });
}

/** A context whose transactions are committed, but whose answer to the commit is lost. */
export function withoutCommitAnswers<Some extends Context>(context: Some): Some {
  const { db } = context;
  const losing = (em: SqlEntityManager) => {
    const transactional = em.transactional.bind(em);
    em.transactional = async (work, options) => {
      await transactional(work, options);
      throw new Error('Connection terminated unexpectedly');
    };
    return em;
  };
  return { ...context, db: { ...db, em: () => losing(db.em()) } };
}

/** A context that runs `happening` before each of its transactions. */
export function beforeTransactions<Some extends Context>(context: Some, happening: () => Promise<unknown>): Some {
  const { db } = context;
  const intervene = (em: SqlEntityManager) => {
    const transactional = em.transactional.bind(em);
    em.transactional = async (work, options) => {
      await happening();
      return transactional(work, options);
    };
    return em;
  };
  return { ...context, db: { ...db, em: () => intervene(db.em()) } };
}

/** A context that runs `happening` after its first query and before that query's answer; the rest is unchanged. */
export function afterFirstQuery(context: Context, happening: () => Promise<unknown>): Context {
  let happened = false;
  const intervene = (em: SqlEntityManager) =>
    withResults(em, async ({ result }) => {
      if (!happened) {
        happened = true;
        await happening();
      }
      return result;
    });
  const { db } = context;
  const queries = intervene(db.em());
  return { ...context, db: { ...db, queries, em: () => intervene(db.em()) } };
}

/** A context whose database goes away once, before or after it runs a statement with these words. */
export function awayOnce<Some extends Context>(context: Some, words: string, when: 'before' | 'after'): Some {
  const { queries } = context.db;
  let isAway = true;
  const run = async (sql: string, values: readonly unknown[]) => {
    const fails = isAway && sql.includes(words);
    if (fails) isAway = false;
    const lost = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    if (fails && when === 'before') throw lost;
    const rows = await runSql(queries, sql, values);
    if (fails) throw lost;
    return { rows };
  };
  return withRun(context, run);
}

/** A context that runs `happening` once, before its first statement with these words. */
export function beforeStatement<Some extends Context>(
  context: Some,
  words: string,
  happening: () => Promise<unknown>,
): Some {
  let happened = false;
  return withRun(context, async (sql, values) => {
    if (!happened && sql.includes(words)) {
      happened = true;
      await happening();
    }
    return { rows: await runSql(context.db.queries, sql, values) };
  });
}

type Run = (sql: string, values: readonly unknown[]) => Promise<{ rows: unknown[] }>;

function withRun<Some extends Context>(context: Some, run: Run): Some {
  const get = (target: Queries, name: string | symbol) => {
    const value: unknown = name === 'run' ? run : Reflect.get(target, name);
    return typeof value === 'function' ? (value.bind(target) as unknown) : value;
  };
  return { ...context, db: { ...context.db, queries: new Proxy(context.db.queries, { get }) } };
}
