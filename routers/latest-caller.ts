/** Who calls once the input is there. */
import { ServiceError } from '../errors/service-error.ts';
import type { OperationContext } from './context.ts';

interface Call {
  readonly ctx: Pick<OperationContext, 'caller' | 'person' | 'callerNow'>;
  readonly getRawInput: () => Promise<unknown>;
}

/**
 * Asks again when the body was held back: the key, the sign-in or the role may have ended meanwhile.
 *
 * @throws ServiceError unauthorized
 */
export async function latestCaller({ ctx, getRawInput }: Call) {
  if (ctx.callerNow !== undefined) await getRawInput().catch(() => undefined);
  const { caller, person } = (await ctx.callerNow?.()) ?? ctx;
  if (caller === null) throw new ServiceError('unauthorized');
  return { caller, person };
}
