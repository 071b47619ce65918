/** Locks that processes of one database take, each for one purpose. */
import type { SqlEntityManager } from '@mikro-orm/sql';
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

const lock = statement('take an advisory lock', {
  parameters: { number: 'bigint' },
  result: { locked: 'int' },
  sql: ({ number }) => `select 1 as locked from pg_advisory_xact_lock(${number})`,
});

/** Waits for the lock and holds it until the transaction ends. */
export async function takeAdvisoryLock(em: SqlEntityManager, name: keyof typeof ADVISORY_LOCKS): Promise<void> {
  await lock(em, { number: ADVISORY_LOCKS[name] });
}
