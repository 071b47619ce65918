/** Holds locks on the world's database, so that requests wait in the middle of their transactions. PostgreSQL only. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { onTestFinished, vi } from 'vitest';
import { query } from './query.ts';
import type { World } from './world.ts';

export interface HeldRows {
  /** Waits until so many transactions wait for a lock, or until the request has its answer. */
  waiting(count: number, request?: Promise<unknown>): Promise<void>;
  release(): Promise<void>;
}

/** @param sql takes the locks, which are held until the release or the end of the test */
export async function holdRows(world: World, sql: string, parameters: readonly unknown[] = []): Promise<HeldRows> {
  const released = Promise.withResolvers<void>();
  const taken = Promise.withResolvers<void>();
  const holding = world.db.em().transactional(async (em: SqlEntityManager) => {
    await query(em, sql, parameters);
    taken.resolve();
    await released.promise;
  });
  holding.catch(taken.reject);
  const release = async () => {
    released.resolve();
    await holding;
  };
  onTestFinished(release);
  await taken.promise;
  return { waiting: (count, request) => waitFor(world, count, request), release };
}

async function waitFor(world: World, count: number, request?: Promise<unknown>): Promise<void> {
  let isAnswered = false;
  const answered = () => {
    isAnswered = true;
  };
  request?.then(answered, answered);
  const check = async () => {
    const [row] = await world.sql<{ waiting: number }>(
      `select count(*)::int as waiting from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
    const waiting = row?.waiting ?? 0;
    if (!isAnswered && waiting < count) throw new Error(`${waiting} of ${count} transactions wait`);
  };
  await vi.waitFor(check, { interval: 5, timeout: 20_000 });
}
