/** Operations on the metrics of many posts. */
import { router } from '../procedures.ts';
import { getAnalytics } from './get-analytics.ts';

export const analyticsRouter = router({ get: getAnalytics });
