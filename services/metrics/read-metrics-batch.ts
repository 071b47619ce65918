/**
 * Reads one metrics batch: asks one platform, or one connection to it, for the metrics of its posts, call after call.
 * When a platform does not answer, the remaining posts are postponed and it is not called again until the pause ends.
 */
import { ReadPause } from '../../entities/read-pause.ts';
import { statement } from '../../entities/statement.ts';
import { type AnyPlatform, type MetricsReading, PlatformFailure, type Session } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';
import { connectionCredential } from '../connections/connection-credential.ts';
import { openSession } from '../connections/open-session.ts';
import { platformIo } from '../platform-io.ts';
import type { ReadClaim } from './claim-reads.ts';
import type { DueRead } from './decide-read.ts';
import { utcDayNumber } from '../plans/plans.ts';
import { dueRead, nextReadAt, readAfterPause } from './read-times.ts';
import { type ReadOutcome, settleReads } from './settle-reads.ts';

/** A metrics batch: posts that are requested with one access token, or without one. */
export interface MetricsBatch {
  /** Id of the connection, or of the platform if calls are shared. */
  readonly id: string;
  readonly platform: AnyPlatform;
  readonly reads: readonly DueRead[];
}

/** A metrics batch with the session that its calls are made with. */
interface OpenBatch extends MetricsBatch {
  readonly session: Session<unknown>;
}

/** Timeout of one call, in real milliseconds. */
const CALL_TIMEOUT_MS = 30_000;

/**
 * Shortest pause after a platform did not answer, even if it asks for less: without a pause it would be called again at
 * once.
 */
const PAUSE_MS = 5 * 60_000;

/**
 * The pause doubles with each failure in a row, up to this limit: a schedule of daily reads needs no shorter interval
 * in a long outage.
 */
const REPEATED_PAUSE_MAX_MS = 3 * 3_600_000;

/** Longest pause that a platform can ask for. */
const PAUSE_MAX_MS = 24 * 3_600_000;

/**
 * @param isOver whether no further call is to be made
 * @returns how many posts have been settled
 */
export async function readMetricsBatch(
  context: Context,
  claim: ReadClaim,
  metricsBatch: MetricsBatch,
  isOver: () => boolean,
): Promise<number> {
  const session = openUsableSession(context, metricsBatch);
  if (session === undefined) return settleReads(context, claim, skip(metricsBatch.reads, claim.now));
  const openBatch = { ...metricsBatch, session };
  let settled = 0;
  let isBegun = false;
  let batches: (readonly DueRead[])[] = batchesOf(metricsBatch.reads, metricsBatch.platform.metricsBatch?.max ?? 1);
  while (batches.length > 0) {
    const [batch = [], ...rest] = batches;
    // Fees were decided for the day of the claim; on another day they are decided again.
    if (isOver() || chargesAnotherDay(context, claim, metricsBatch)) {
      // The next claim takes none of a slow platform, and what became due meanwhile before what was not reached.
      const nextAt = new Date(context.clock.now().getTime() + (isBegun ? PAUSE_MS : 0));
      const left = batches.flat().map(({ post }) => ({ post, nextAt }));
      return settled + (await settleReads(context, claim, left));
    }
    isBegun = true;
    const step = await readBatch(context, claim, openBatch, batch);
    batches = step.isBatchOver ? [] : [...step.again, ...rest];
    const left = step.isBatchOver ? step.putOff(rest.flat()) : [];
    settled += await settleReads(context, claim, [...step.outcomes, ...left]);
  }
  return settled;
}

/**
 * The session of the first connection whose credential can be used, undefined when there is none: in a batch of many
 * accounts, one credential that cannot be decrypted must not prevent the reads of the others.
 */
function openUsableSession(context: Context, metricsBatch: MetricsBatch): Session<unknown> | undefined {
  const { platform, reads } = metricsBatch;
  for (const [connectionId, post] of new Map(reads.map((read) => [read.post.connection_id, read.post]))) {
    try {
      return openSession(context, platform, connectionCredential(connectionId, post));
    } catch (error) {
      if (!(error instanceof PlatformFailure)) throw error;
    }
  }
  return undefined;
}

function chargesAnotherDay(context: Context, claim: ReadClaim, { platform }: MetricsBatch): boolean {
  return platform.fees !== undefined && utcDayNumber(context.clock.now()) !== utcDayNumber(claim.now);
}

/** Result of one call. */
interface Step {
  readonly outcomes: readonly ReadOutcome[];
  /** Batches to request instead of the one that was refused. */
  readonly again: readonly (readonly DueRead[])[];
  readonly isBatchOver: boolean;
  /** Outcomes of the posts that are not requested any more. */
  putOff(reads: readonly DueRead[]): ReadOutcome[];
}

async function readBatch(
  context: Context,
  claim: ReadClaim,
  metricsBatch: OpenBatch,
  batch: readonly DueRead[],
): Promise<Step> {
  const goOn = { again: [], isBatchOver: false, putOff: () => [] };
  try {
    const reading = await ask(context, metricsBatch, batch);
    if (metricsBatch.reads.some(wasPaused)) await context.db.em().nativeDelete(ReadPause, { batch: metricsBatch.id });
    const fetchedAt = context.clock.now();
    return { ...goOn, outcomes: batch.map((read) => outcomeOf(read, reading, claim.now, fetchedAt)) };
  } catch (error) {
    const failure = error instanceof PlatformFailure ? error : undefined;
    log(context, metricsBatch, batch.length, error);
    // One post that the platform rejects must not prevent the reads of the others.
    if (failure?.kind === 'rejected') {
      if (batch.length === 1) return { ...goOn, outcomes: skip(batch, claim.now) };
      return { ...goOn, outcomes: [], again: batchesOf(batch, Math.ceil(batch.length / 2)) };
    }
    const needsReconnect = failure?.kind === 'reconnect' && metricsBatch.platform.metricsBatch?.shared !== true;
    if (needsReconnect) {
      const putOff = (reads: readonly DueRead[]) => skip(reads, claim.now);
      return { outcomes: putOff(batch), again: [], isBatchOver: true, putOff };
    }
    const until = await pause(context, metricsBatch, failure?.retryAfterMs ?? 0);
    const putOff = (reads: readonly DueRead[]) =>
      reads.map(({ post, sentAt }) => ({ post, nextAt: readAfterPause(sentAt, until) }));
    return { outcomes: putOff(batch), again: [], isBatchOver: true, putOff };
  }
}

async function ask(
  context: Context,
  { platform, session }: OpenBatch,
  batch: readonly DueRead[],
): Promise<MetricsReading> {
  if (platform.readMetrics === undefined) throw new Error(`${platform.id} has no metrics to read`);
  return platform.readMetrics(session, batch, platformIo(context, CALL_TIMEOUT_MS));
}

function outcomeOf(read: DueRead, reading: MetricsReading, now: Date, fetchedAt: Date): ReadOutcome {
  const metrics = reading.get(read.platformPostId);
  if (metrics === undefined) return skipped(read, now);
  if (metrics === 'gone') return { post: read.post, nextAt: null };
  const { post, sentAt, feeCents } = read;
  return {
    post,
    nextAt: nextReadAt(sentAt, now),
    read: { number: dueRead(sentAt, now), fetchedAt, metrics, feeCents },
  };
}

/** Outcome that skips this read; the next read of the schedule follows. */
function skipped({ post, sentAt }: DueRead, now: Date): ReadOutcome {
  return { post, nextAt: nextReadAt(sentAt, now) };
}

function skip(reads: readonly DueRead[], now: Date): ReadOutcome[] {
  return reads.map((read) => skipped(read, now));
}

const storePause = statement('pause the reads of a metrics batch', {
  parameters: { batch: 'text', now: 'timestamptz', forMs: 'float8' },
  result: { until_ms: 'float8' },
  sql: ({ batch, now, forMs }) => `
    insert into read_pauses as p (batch, until, failures) values (${batch}, ${now} + ${forMs} * interval '1 ms', 1)
    on conflict (batch) do update set failures = p.failures + 1, until = greatest(p.until, ${now} +
      greatest(${forMs}, least(${PAUSE_MS} * 2 ^ least(p.failures, 10), ${REPEATED_PAUSE_MAX_MS})) * interval '1 ms')
    returning ceil(extract(epoch from until) * 1000)::float8 as until_ms`,
});

/** Whether the batch has not been read since its last failure. */
function wasPaused({ post }: DueRead): boolean {
  return post.own_pause !== null || post.shared_pause !== null;
}

/** Pauses reads for all workers; resolves with the end of the pause. @param askedMs how long the platform asks for */
async function pause(context: Context, { id }: MetricsBatch, askedMs: number): Promise<Date> {
  const forMs = Math.min(Math.max(askedMs, PAUSE_MS), PAUSE_MAX_MS);
  const [row] = await storePause(context.db.em(), { batch: id, now: context.clock.now(), forMs });
  if (row === undefined) throw new Error(`the pause of ${id} was not stored`);
  return new Date(row.until_ms);
}

function log(context: Context, { id, platform }: MetricsBatch, posts: number, err: unknown): void {
  const subject = { batch: id, platformId: platform.id, posts, err };
  if (err instanceof PlatformFailure) context.log.warn(subject, 'the metrics of posts were not read');
  else context.log.error(subject, 'the metrics of posts were not read');
}

function batchesOf(reads: readonly DueRead[], max: number): DueRead[][] {
  return Array.from({ length: Math.ceil(reads.length / max) }, (_, index) =>
    reads.slice(index * max, (index + 1) * max),
  );
}
