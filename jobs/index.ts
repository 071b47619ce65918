/** Every loop of a worker. */
import { healthSamples } from './health-samples.ts';
import { housekeeping } from './housekeeping.ts';
import { loginRenewals } from './login-renewals.ts';
import type { Loop } from './loop.ts';
import { metricsReads } from './metrics-reads.ts';
import { ownerNotices } from './owner-notices.ts';
import { scheduledPosts } from './scheduled-posts.ts';
import { webhookDeliveries } from './webhook-deliveries.ts';
import { xUsageSweep } from './x-usage-sweep.ts';

export const loops: readonly Loop[] = [
  scheduledPosts,
  metricsReads,
  webhookDeliveries,
  loginRenewals,
  ownerNotices,
  xUsageSweep,
  healthSamples,
  housekeeping,
];
