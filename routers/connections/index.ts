/** Operations on connections. */
import { router } from '../procedures.ts';
import { connectAccount } from './connect-account.ts';
import { deleteConnection } from './delete-connection.ts';
import { getConnection } from './get-connection.ts';
import { getQueue } from './get-queue.ts';
import { listConnections } from './list-connections.ts';
import { moveConnection } from './move-connection.ts';
import { orderQueue } from './order-queue.ts';
import { updateQueue } from './update-queue.ts';
import { updateSettings } from './update-settings.ts';

export const connectionsRouter = router({
  list: listConnections,
  get: getConnection,
  connect: connectAccount,
  delete: deleteConnection,
  move: moveConnection,
  queue: getQueue,
  updateQueue,
  orderQueue,
  updateSettings,
});
