/** Operations on connect sessions. */
import { router } from '../trpc.ts';
import { createConnectSession } from './create-connect-session.ts';
import { getConnectSession } from './get-connect-session.ts';

export const connectRouter = router({ create: createConnectSession, get: getConnectSession });
