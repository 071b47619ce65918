/**
 * Throttles password attempts: by address and IP together, by IP, and by address. The counts are in the database, so
 * that all processes share them. An attempt is counted before it is made, so that concurrent attempts all count.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { query } from '../../entities/query.ts';
import type { Context } from '../context.ts';
import { networkOf } from '../limits/network-of.ts';

/** An attempt: the typed address, whether it exists or not, and the IP of the request. */
export interface SignInAttempt {
  readonly email: string;
  readonly ip: string;
}

/**
 * Number of failed attempts without a delay. An address allows more from many IPs, so that others cannot easily lock
 * its owner out.
 */
const FREE = { both: 5, machine: 20, address: 20 } as const;

const FIRST_WAIT_MS = 30_000;
const LONGEST_WAIT_MS = 900_000;

/** Failed attempts are forgotten after this time without another attempt. */
export const FORGOTTEN_AFTER_MS = 86_400_000;

interface Bucket {
  readonly name: string;
  readonly free: number;
}

interface Row {
  bucket: string;
  failures: number;
  /** Seconds. */
  wait: number;
}

const COUNTED = `
  select bucket, case when last_tried_at < $3 then 0 else failures end as failures,
    greatest(0, ceil(coalesce(extract(epoch from wait_until - $2::timestamptz), 0)))::int as wait
  from sign_in_waits where bucket = any($1::text[]) order by bucket`;

/**
 * Records an attempt, as a failed one until {@link clearFailures} clears it.
 *
 * @returns seconds to wait, with nothing recorded; 0 when the attempt may be made
 */
export async function recordAttempt(context: Context, trying: SignInAttempt): Promise<number> {
  const buckets = bucketsOf(context, trying);
  const em = context.db.em();
  // Reads without a lock and writes no row, so that an attempt that must wait anyway is cheap.
  const wait = longestWait(await counted(context, em, buckets));
  if (wait > 0) return wait;
  return em.transactional(async (inside: SqlEntityManager) => {
    const now = context.clock.now();
    // Always in the same order, so that two transactions cannot deadlock.
    for (const { name } of buckets) {
      const sql = `insert into sign_in_waits (bucket, failures, last_tried_at) values ($1, 0, $2) on conflict do nothing`;
      await query(inside, sql, [name, now]);
    }
    const rows = await counted(context, inside, buckets, 'for update');
    const waitNow = longestWait(rows);
    if (waitNow > 0) return waitNow;
    for (const { bucket, failures } of rows)
      await count(inside, bucket, failures + 1, waitAfter(buckets, bucket, failures + 1, now), now);
    return 0;
  });
}

/** Removes a successful attempt and clears the failures of this address. */
export async function clearFailures(context: Context, trying: SignInAttempt): Promise<void> {
  const { both, machine, address } = named(context, trying);
  for (const { name } of [both, address])
    await query(context.db.em(), 'delete from sign_in_waits where bucket = $1', [name]);
  const sql = `
    update sign_in_waits set failures = failures - 1, wait_until = case when failures > $2 then wait_until end
    where bucket = $1 and failures > 0`;
  await query(context.db.em(), sql, [machine.name, machine.free]);
}

function counted(context: Context, em: SqlEntityManager, buckets: readonly Bucket[], lock = ''): Promise<Row[]> {
  const now = context.clock.now();
  const forgotten = new Date(now.getTime() - FORGOTTEN_AFTER_MS);
  return query<Row>(em, `${COUNTED} ${lock}`, [buckets.map(({ name }) => name), now, forgotten]);
}

function count(
  em: SqlEntityManager,
  bucket: string,
  failures: number,
  waitUntil: Date | null,
  now: Date,
): Promise<unknown> {
  const sql = 'update sign_in_waits set failures = $2, wait_until = $3, last_tried_at = $4 where bucket = $1';
  return query(em, sql, [bucket, failures, waitUntil, now]);
}

function longestWait(rows: readonly Row[]): number {
  return Math.max(0, ...rows.map(({ wait }) => wait));
}

function waitAfter(buckets: readonly Bucket[], name: string, failures: number, now: Date): Date | null {
  const { free = 0 } = buckets.find((bucket) => bucket.name === name) ?? {};
  if (failures < free) return null;
  return new Date(now.getTime() + Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures - free, 10)));
}

function bucketsOf(context: Context, trying: SignInAttempt): Bucket[] {
  return Object.values(named(context, trying)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Hashes names with the install's key, so that the table does not reveal the addresses. */
function named(context: Context, { email, ip }: SignInAttempt): Record<keyof typeof FREE, Bucket> {
  const machine = networkOf(ip);
  const bucket = (kind: keyof typeof FREE, value: string): Bucket => ({
    name: context.signer.sign('signInWait', `${kind}\n${value}`),
    free: FREE[kind],
  });
  return {
    both: bucket('both', `${machine}\n${email}`),
    machine: bucket('machine', machine),
    address: bucket('address', email),
  };
}
