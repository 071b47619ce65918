/** Reports the progress of an operation to a client that sent a progress token. */
import type { ServerContext } from '@modelcontextprotocol/server';
import type { OperationContext } from '../routers/context.ts';
import type { Context } from '../services/context.ts';

/** Undefined for a client that sent no progress token. */
export function progressOf(context: Context, { mcpReq }: ServerContext): OperationContext['onProgress'] {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return ({ finished, total, message }) => {
    const params = { progressToken, progress: finished, total, message };
    // A client that has disconnected misses a notification, and the work continues.
    mcpReq.notify({ method: 'notifications/progress', params }).catch((error: unknown) => {
      context.log.warn({ err: error }, 'a progress notification was not sent');
    });
  };
}
