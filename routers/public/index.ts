/** Operations that need no key. */
import { router } from '../trpc.ts';
import { getHealth } from './get-health.ts';

export const publicRouter = router({ health: getHealth });
