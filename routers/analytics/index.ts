/** Operations on the numbers of many posts. */
import { router } from '../trpc.ts';
import { getAnalytics } from './get-analytics.ts';

export const analyticsRouter = router({ get: getAnalytics });
