/**
 * Throttles password attempts: by address and IP together, by IP, and by address. The counts are in the database, so
 * that all processes share them. An attempt is counted before it is made, so that concurrent attempts all count.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { tables } from '../../entities/tables.ts';
import { SignInWait } from '../../entities/sign-in-wait.ts';
import type { Context } from '../context.ts';
import { dateOrNull, dateOf } from '../timestamp.ts';
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

/** The count of a bucket, as it is now. */
interface BucketCount {
  readonly bucket: string;
  readonly failures: number;
  readonly waitSeconds: number;
}

/** A recorded attempt, which may be made. */
export interface RecordedAttempt extends SignInAttempt {
  readonly kind: 'recorded';
  /** Until when its failure lets each bucket wait, by name; null for no wait. */
  readonly waits: ReadonlyMap<string, Date | null>;
}

/**
 * Records an attempt, as a failed one until {@link clearFailures} clears it or {@link removeAttempt} removes it.
 *
 * @returns `wait` with nothing recorded, when the attempt may not be made
 */
export async function recordAttempt(
  context: Context,
  trying: SignInAttempt,
): Promise<RecordedAttempt | { readonly kind: 'wait'; readonly seconds: number }> {
  const buckets = bucketsOf(context, trying);
  const em = context.db.em();
  // Reads without a lock and writes no row, so that an attempt that must wait anyway is cheap.
  const seconds = longestWait(await counted(context, em, buckets));
  if (seconds > 0) return { kind: 'wait', seconds };
  return em.transactional(async (inside: SqlEntityManager) => {
    const now = context.clock.now();
    // Always in the same order, so that two transactions cannot deadlock.
    await tables(inside)
      .insertInto('sign_in_waits')
      .values(buckets.map(({ name }) => ({ bucket: name, failures: 0, last_tried_at: now })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const rows = await counted(context, inside, buckets, { isLocking: true });
    const secondsNow = longestWait(rows);
    if (secondsNow > 0) return { kind: 'wait', seconds: secondsNow };
    const waits = new Map<string, Date | null>();
    for (const { bucket, failures } of rows) {
      const waitUntil = waitAfter(buckets, bucket, failures + 1, now);
      await inside.nativeUpdate(SignInWait, { bucket }, { failures: failures + 1, waitUntil, lastTriedAt: now });
      waits.set(bucket, waitUntil);
    }
    return { ...trying, kind: 'recorded', waits };
  });
}

/** Removes a successful attempt and clears the failures of this address. */
export async function clearFailures(context: Context, attempt: RecordedAttempt): Promise<void> {
  await clearAddress(context, attempt);
  await takeBack(context, attempt, named(context, attempt).machine);
}

/** Removes an attempt whose password was not checked. */
export async function removeAttempt(context: Context, attempt: RecordedAttempt): Promise<void> {
  for (const bucket of bucketsOf(context, attempt)) await takeBack(context, attempt, bucket);
}

/** Takes the failure of an attempt back, and the wait that it set. Waits that other attempts set stay. */
async function takeBack(context: Context, { waits }: RecordedAttempt, { name, free }: Bucket): Promise<void> {
  const own = waits.get(name)?.toISOString() ?? null;
  await tables(context.db.em())
    .updateTable('sign_in_waits')
    .set((eb) => ({
      failures: eb('failures', '-', 1),
      wait_until: eb
        .case()
        .when(eb.and([eb('failures', '>', free), eb('wait_until', 'is distinct from', own)]))
        .then(eb.ref('wait_until'))
        .end(),
    }))
    .where('bucket', '=', name)
    .where('failures', '>', 0)
    .execute();
}

/** Clears the failures of this address, for a person who proved without a password who they are. */
export async function clearAddress(context: Context, trying: SignInAttempt): Promise<void> {
  const { both, address } = named(context, trying);
  for (const { name } of [both, address]) await context.db.em().nativeDelete(SignInWait, { bucket: name });
}

async function counted(
  context: Context,
  em: SqlEntityManager,
  buckets: readonly Bucket[],
  { isLocking } = { isLocking: false },
): Promise<BucketCount[]> {
  const now = context.clock.now().getTime();
  const rows = await tables(em)
    .selectFrom('sign_in_waits')
    .select(['bucket', 'failures', 'wait_until', 'last_tried_at'])
    .where(
      'bucket',
      'in',
      buckets.map(({ name }) => name),
    )
    .orderBy('bucket')
    .$if(isLocking, (query) => query.forUpdate())
    .execute();
  return rows.map(({ bucket, failures, wait_until: waitUntil, last_tried_at: lastTriedAt }) => ({
    bucket,
    failures: dateOf(lastTriedAt).getTime() < now - FORGOTTEN_AFTER_MS ? 0 : failures,
    waitSeconds: Math.max(0, Math.ceil(((dateOrNull(waitUntil)?.getTime() ?? now) - now) / 1000)),
  }));
}

function longestWait(rows: readonly BucketCount[]): number {
  return Math.max(0, ...rows.map(({ waitSeconds }) => waitSeconds));
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
