/** metricsReads: reads the numbers of sent posts back, on their schedule. Safe to run side by side: each post is taken by one worker, under a lease. */
import { nextReadDue } from '../services/metrics/next-read-due.ts';
import { readDueMetrics } from '../services/metrics/read-due-metrics.ts';
import type { Loop } from './loop.ts';

export const metricsReads: Loop = { name: 'metricsReads', run: readDueMetrics, nextDueAt: nextReadDue };
