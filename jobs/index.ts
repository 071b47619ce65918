/** Every loop of a worker. */
import { housekeeping } from './housekeeping.ts';
import type { Loop } from './loop.ts';
import { scheduledPosts } from './scheduled-posts.ts';
import { xUsageSweep } from './x-usage-sweep.ts';

export const loops: readonly Loop[] = [scheduledPosts, xUsageSweep, housekeeping];
