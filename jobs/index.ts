/** The loops of a worker: those whose rows have due times, and the periodic ones. */
import { approvals } from './approvals.ts';
import { backups } from './backups.ts';
import { feeds } from './feeds.ts';
import { healthSamples } from './health-samples.ts';
import { housekeeping } from './housekeeping.ts';
import { imports } from './imports.ts';
import { loginRenewals } from './login-renewals.ts';
import type { Loop } from './loop.ts';
import { metricsReads } from './metrics-reads.ts';
import { ownerNotices } from './owner-notices.ts';
import { retention } from './retention.ts';
import { scheduledPosts } from './scheduled-posts.ts';
import { webhookDeliveries } from './webhook-deliveries.ts';
import { xUsageSweep } from './x-usage-sweep.ts';

export const loops: readonly Loop[] = [
  scheduledPosts,
  metricsReads,
  webhookDeliveries,
  loginRenewals,
  imports,
  feeds,
  approvals,
  ownerNotices,
  xUsageSweep,
  healthSamples,
  retention,
  housekeeping,
  backups,
];

/** The loops that every worker runs, at the instants when their work falls due. */
export const dueLoops = loops.filter((loop) => loop.nextDueAt !== undefined);

/** The loops that one worker at a time runs for all of them. */
export const periodicLoops = loops.filter((loop) => loop.nextDueAt === undefined);
