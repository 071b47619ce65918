/** Locks that processes of one database take, each for one purpose. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Sleep } from './shared-changes.ts';
import { statement } from './statement.ts';

/** The number of each lock. */
export const ADVISORY_LOCKS = {
  /** Held while migrations run. */
  migrations: 4_221_002,
  /** Held while the first account of an install is created. */
  firstStart: 4_221_003,
  /** Held by the process that makes deliveries of events, so that they are made in the order of the events. */
  fanOut: 4_221_004,
} as const;

/** The number of each kind of lock that is taken for one key at a time. */
const KEYED_LOCKS = {
  /** Held while a row of an import becomes posts, for what the row asks for. */
  importRow: 4_221_005,
  /** Held while a policy is set, removed or copied, for its account. */
  policies: 4_221_006,
} as const;

const lock = statement('take an advisory lock', {
  parameters: { number: 'bigint' },
  result: { locked: 'int' },
  sql: ({ number }) => `select 1 as locked from pg_advisory_xact_lock(${number})`,
});

const tryLock = statement('try an advisory lock', {
  parameters: { number: 'bigint' },
  result: { held: 'boolean' },
  sql: ({ number }) => `select pg_try_advisory_xact_lock(${number}) as held`,
});

/** Takes the lock until the transaction ends, unless another transaction holds it. */
export async function tryAdvisoryLock(em: SqlEntityManager, name: keyof typeof ADVISORY_LOCKS): Promise<boolean> {
  const [row] = await tryLock(em, { number: ADVISORY_LOCKS[name] });
  return row?.held === true;
}

/** Milliseconds between two tries of a process that waits for a lock. */
const TRY_EVERY_MS = 100;

/**
 * Runs work that uses other connections while a transaction holds the lock. Processes that wait for it hold no connection
 * between their tries: behind a pooler with few connections they would take turns with the work, statement by statement.
 *
 * @param sleep without it, the process waits on a connection
 */
export async function withAdvisoryLock(
  begin: () => SqlEntityManager,
  name: keyof typeof ADVISORY_LOCKS,
  sleep: Sleep | undefined,
  work: () => Promise<void>,
): Promise<void> {
  if (sleep === undefined) {
    await begin().transactional(async (em) => {
      await takeAdvisoryLock(em, name);
      await work();
    });
    return;
  }
  const neverStopped = new AbortController().signal;
  const tryOnce = async (em: SqlEntityManager) => {
    const isHeld = await tryAdvisoryLock(em, name);
    if (isHeld) await work();
    return isHeld;
  };
  while (!(await begin().transactional(tryOnce))) await sleep(TRY_EVERY_MS, neverStopped);
}

const lockKey = statement('take an advisory lock for a key', {
  parameters: { number: 'int', key: 'text' },
  result: { locked: 'int' },
  sql: ({ number, key }) => `select 1 as locked from pg_advisory_xact_lock(${number}, hashtext(${key}))`,
});

/** Waits until no other transaction holds the lock for this key, and holds it until the transaction ends. */
export async function takeKeyedLock(em: SqlEntityManager, name: keyof typeof KEYED_LOCKS, key: string): Promise<void> {
  await lockKey(em, { number: KEYED_LOCKS[name], key });
}

/** Waits for the lock and holds it until the transaction ends. */
export async function takeAdvisoryLock(em: SqlEntityManager, name: keyof typeof ADVISORY_LOCKS): Promise<void> {
  await lock(em, { number: ADVISORY_LOCKS[name] });
}
