/**
 * Transactions that run again when PostgreSQL ended them, and undid all they did, because they and another one waited for
 * each other (docs/decisions/0147-repeat-transactions-that-deadlocked.md).
 */
import type { SqlEntityManager } from '@mikro-orm/sql';

/** The SQLSTATE of a transaction that was ended to break a deadlock. */
const DEADLOCK = '40P01';

/** The other transaction goes on meanwhile, so that a second try nearly always ends. */
const TRIES = 3;

/**
 * The same entity manager, whose transactions run again after a deadlock. What a transaction changes outside of the database must
 * be right after two runs too.
 *
 * @param onDeadlock called before each further run
 */
export function repeatDeadlocked(em: SqlEntityManager, onDeadlock: (error: unknown) => void): SqlEntityManager {
  const transactional = em.transactional.bind(em);
  em.transactional = async (work, options) => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await transactional(work, options);
      } catch (error) {
        // A part of a transaction still holds the locks of the whole, which has to run again from its start.
        if (tries === TRIES || em.isInTransaction() || !isDeadlock(error)) throw error;
        onDeadlock(error);
      }
    }
  };
  return em;
}

function isDeadlock(error: unknown): boolean {
  return error instanceof Error && (error as { readonly code?: unknown }).code === DEADLOCK;
}
