/** Operations on connect sessions. */
import { router } from '../procedures.ts';
import { cancelConnectSession } from './cancel-connect-session.ts';
import { createConnectLink } from './create-connect-link.ts';
import { createConnectSession } from './create-connect-session.ts';
import { getConnectSession } from './get-connect-session.ts';
import { listConnectSessions } from './list-connect-sessions.ts';

export const connectRouter = router({
  create: createConnectSession,
  createLink: createConnectLink,
  list: listConnectSessions,
  get: getConnectSession,
  cancel: cancelConnectSession,
});
