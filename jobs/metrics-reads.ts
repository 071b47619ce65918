/**
 * metricsReads: reads the metrics of sent posts on their schedule. Safe to run in parallel: one worker claims each
 * post, under a lease.
 */
import { nextReadDue } from '../services/metrics/next-read-due.ts';
import { readDueMetrics } from '../services/metrics/read-due-metrics.ts';
import type { Loop } from './loop.ts';

export const metricsReads: Loop = {
  name: 'metricsReads',
  // The first read of a post is due minutes after it was sent.
  newWorkWithinMs: 10_000,
  run: readDueMetrics,
  nextDueAt: nextReadDue,
};
