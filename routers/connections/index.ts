/** Operations on connections. */
import { router } from '../trpc.ts';
import { connectAccount } from './connect-account.ts';
import { deleteConnection } from './delete-connection.ts';
import { getConnection } from './get-connection.ts';
import { listConnections } from './list-connections.ts';

export const connectionsRouter = router({
  list: listConnections,
  get: getConnection,
  connect: connectAccount,
  delete: deleteConnection,
});
