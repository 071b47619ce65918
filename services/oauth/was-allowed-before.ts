/** Checks whether people of an account have allowed a client before, within the time that ended grants are kept. */
import { OauthGrant } from '../../entities/oauth-grant.ts';
import type { Context } from '../context.ts';

export async function wasAllowedBefore(context: Context, accountId: string, clientId: string): Promise<boolean> {
  return (await context.db.em().count(OauthGrant, { accountId, clientId })) > 0;
}
