/** Intervenes in the queries of an entity manager: a concurrent action right after a read, or a database that fails. */
import type { KyselyPlugin } from 'kysely';
import type { SqlEntityManager } from '@mikro-orm/sql';
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
