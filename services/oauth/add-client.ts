/**
 * Adds an OAuth client that the operator trusts, or updates its description. Accounts that have allowed the client get
 * an audit entry, because an update may change its redirect URIs. A new client concerns no account yet.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { tables } from '../../entities/tables.ts';
import { operatorChange } from '../audit/operator-change.ts';
import { recordChange } from '../audit/record-change.ts';
import type { Context } from '../context.ts';
import { putArtifact } from './artifacts.ts';

export async function addClient(
  context: Context,
  clientId: string,
  payload: Readonly<Record<string, unknown>>,
  requestId: string,
): Promise<void> {
  await context.db.em().transactional(async (em: SqlEntityManager) => {
    await putArtifact(context, 'Client', clientId, { payload, grantId: null, expiresAt: null }, em);
    const grants = await tables(em)
      .selectFrom('oauth_grants')
      .select(['account_id', 'id'])
      .where('client_id', '=', clientId)
      .where('revoked_at', 'is', null)
      .orderBy('account_id')
      .orderBy('id')
      .execute();
    for (const [accountId, allowed] of Map.groupBy(grants, (grant) => grant.account_id)) {
      const ids = allowed.map(({ id }) => id);
      const act = { accountId, operation: 'oauth.client', object: { type: 'oauth_grant', ids }, requestId };
      await recordChange(context, operatorChange(act), em);
    }
  });
}
