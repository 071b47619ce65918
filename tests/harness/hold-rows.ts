/** Holds rows as another transaction does, so that requests wait for them. PostgreSQL only. */
import { expect } from 'vitest';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { query } from './query.ts';
import type { World } from './world.ts';

export interface HeldRows {
  /** Resolves when so many transactions of the world wait for a lock. */
  waitedForBy(count: number): Promise<void>;
  /** Ends the transaction that holds the rows. */
  free(): Promise<void>;
}

/** @param sql takes the locks */
export async function holdRows(world: World, sql: string, parameters: readonly unknown[] = []): Promise<HeldRows> {
  const end = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const ended = world.db.em().transactional(async (em) => {
    await query(em as SqlEntityManager, sql, parameters);
    held.resolve();
    await end.promise;
  });
  await Promise.race([held.promise, ended]);
  const waiting = async () => {
    const [row] = await world.sql<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return row?.count;
  };
  return {
    waitedForBy: async (count) => {
      await expect.poll(waiting, { interval: 5, timeout: 10_000 }).toBe(count);
    },
    free: async () => {
      end.resolve();
      await ended;
    },
  };
}
