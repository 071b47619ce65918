/** Reads the metrics of due posts: claims them, calls the platforms in parallel, and stores the results. */
import pLimit from 'p-limit';
import type { Context } from '../context.ts';
import { affordableReads } from './affordable-reads.ts';
import { CLAIMED_AT_ONCE, claimReads, type ReadClaim } from './claim-reads.ts';
import { countSentPosts } from './count-sent-posts.ts';
import { decideRead, type DueRead } from './decide-read.ts';
import { type MetricsBatch, readMetricsBatch } from './read-metrics-batch.ts';
import { nextReadAt } from './read-times.ts';
import { type ReadOutcome, settleReads } from './settle-reads.ts';
import { roundEnd } from '../workers/round-end.ts';

/** Metrics batches that are read in parallel. */
const BATCHES_AT_ONCE = 20;

/** @returns how many posts were read, postponed or ended */
export async function readDueMetrics(context: Context, signal: AbortSignal): Promise<number> {
  const isOver = roundEnd(context, signal);
  await countSentPosts(context, isOver);
  let settled = 0;
  // At least one claim: the posts to count must not keep every round from reading.
  while (!signal.aborted) {
    const claim = await claimReads(context);
    if (claim.posts.length > 0) settled += await readClaim(context, claim, signal);
    if (claim.posts.length < CLAIMED_AT_ONCE || isOver()) break;
  }
  return settled;
}

async function readClaim(context: Context, claim: ReadClaim, signal: AbortSignal): Promise<number> {
  const reads: DueRead[] = [];
  const others: ReadOutcome[] = [];
  for (const post of claim.posts) {
    const decision = decideRead(context, post, claim.now);
    if (decision.kind === 'read') reads.push(decision);
    else others.push(decision);
  }
  const affordable = await affordableReads(context, claim, reads);
  const tooDear = reads.filter((read) => !affordable.has(read));
  others.push(...tooDear.map(({ post, sentAt }) => ({ post, nextAt: nextReadAt(sentAt, claim.now) })));
  const settled = await settleReads(context, claim, others);
  return settled + (await readMetricsBatches(context, claim, batchesOf([...affordable]), signal));
}

function batchesOf(reads: readonly DueRead[]): MetricsBatch[] {
  const batchId = ({ platform, post }: DueRead) =>
    platform.metricsBatch?.shared === true ? platform.id : post.connection_id;
  return [...Map.groupBy(reads, batchId)].map(([id, ofLease]) => {
    const [{ platform }] = ofLease as [DueRead];
    return { id, platform, reads: ofLease };
  });
}

async function readMetricsBatches(
  context: Context,
  claim: ReadClaim,
  batches: readonly MetricsBatch[],
  signal: AbortSignal,
): Promise<number> {
  const limit = pLimit(BATCHES_AT_ONCE);
  // Platforms that answer slowly must not keep this worker from the reads of the others.
  const isOver = roundEnd(context, signal);
  const settled = await limit.map(batches, (batch) => readMetricsBatch(context, claim, batch, isOver));
  return settled.reduce((sum, count) => sum + count, 0);
}
