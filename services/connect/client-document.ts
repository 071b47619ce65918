/** Builds the document by which a platform's servers identify this install. */
import type { JsonObject } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';
import { connectablePlatforms, pageOf } from './connectable-platforms.ts';
import { callbackUrl, oauthIo } from './oauth-io.ts';

/** @returns null for a platform whose servers read no such document */
export async function clientDocument(context: Context, platformId: string): Promise<JsonObject | null> {
  const offered = connectablePlatforms(context, 'live').find(({ platform }) => platform.id === platformId);
  const page = offered && pageOf(offered);
  if (page?.clientDocument === undefined) return null;
  return page.clientDocument(oauthIo(context, platformId), callbackUrl(context, platformId));
}
