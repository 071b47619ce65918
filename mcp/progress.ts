/** Tells a client how far an operation has come, where it gave a token to be told under. */
import type { ServerContext } from '@modelcontextprotocol/server';
import type { OperationContext } from '../routers/trpc.ts';
import type { Context } from '../services/context.ts';

/** Undefined for a client that did not ask. */
export function progressOf(context: Context, { mcpReq }: ServerContext): OperationContext['onProgress'] {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return ({ finished, total, message }) => {
    const params = { progressToken, progress: finished, total, message };
    // Whoever has hung up misses a notification, and the work goes on.
    mcpReq.notify({ method: 'notifications/progress', params }).catch((error: unknown) => {
      context.log.warn({ err: error }, 'a progress notification was not sent');
    });
  };
}
