/** Whether an attempt may have called its platform: one whose images or container were not stored yet has not. */
import type { AnyPlatform, PartStep } from '../../platforms/contract.ts';
import { platformOf } from '../../platforms/registry.ts';
import type { Context } from '../context.ts';
import type { OpenAttempt, SendablePost } from './claimed-send.ts';

/** An attempt that was not prepared yet proves that the publishing call was never made. */
export function callMayBeMade(
  { platforms }: Context,
  post: Pick<SendablePost, 'platformId' | 'mediaCount'>,
  attempt: Pick<OpenAttempt, 'step' | 'prepared'>,
): boolean {
  return attempt.prepared !== null || !needsPreparing(platformOf(platforms, post.platformId), post, attempt);
}

export function needsPreparing(
  platform: AnyPlatform,
  post: Pick<SendablePost, 'mediaCount'>,
  { step }: { readonly step: PartStep },
): boolean {
  return step === 'head' && (post.mediaCount > 0 || platform.assemble !== undefined);
}
