/** What sending a post costs by the settings of the install, in cents. */
import { platformOf } from '../../platforms/registry.ts';
import type { Context } from '../context.ts';

/** 0 for platforms without fees. Only plans with fees charge it. */
export function feeOf(
  context: Context,
  { platformId, text }: { readonly platformId: string; readonly text: string },
): number {
  const { fees } = platformOf(context.platforms, platformId);
  if (fees === undefined) return 0;
  const plain = context.config.fees[fees.post];
  return fees.hasLink(text) ? Math.max(plain, context.config.fees[fees.linkPost]) : plain;
}

/** What one read of a post's metrics costs; 0 for platforms without fees. */
export function readFeeOf({ platforms, config }: Context, platformId: string): number {
  const { fees } = platformOf(platforms, platformId);
  return fees === undefined ? 0 : config.fees[fees.read];
}

/** Ids of the platforms on which posts can cost something. */
export function platformsWithFees({ platforms }: Context): string[] {
  return Object.values(platforms).flatMap(({ id, fees }) => (fees === undefined ? [] : [id]));
}
