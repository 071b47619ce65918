/** Operations that need no key. */
import { router } from '../procedures.ts';
import { getHealthHistory } from './get-health-history.ts';
import { getHealth } from './get-health.ts';
import { getStats } from './get-stats.ts';

export const publicRouter = router({ health: getHealth, healthHistory: getHealthHistory, stats: getStats });
