/**
 * Adds an OAuth client that the operator trusts, or updates its description. Accounts that have allowed the client get
 * an audit entry, because an update may change its redirect URIs. A new client concerns no account yet.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { query } from '../../entities/query.ts';
import { operatorChange } from '../audit/operator-change.ts';
import { recordChange } from '../audit/record-change.ts';
import type { Context } from '../context.ts';
import { putArtifact } from './artifacts.ts';

const ALLOWED = `
  select account_id, jsonb_agg(id order by id) as ids from oauth_grants where client_id = $1 and revoked_at is null
  group by account_id order by account_id`;

export async function addClient(
  context: Context,
  clientId: string,
  payload: Readonly<Record<string, unknown>>,
  requestId: string,
): Promise<void> {
  await context.db.em().transactional(async (em: SqlEntityManager) => {
    await putArtifact(context, 'Client', clientId, { payload, grantId: null, expiresAt: null }, em);
    for (const { account_id: accountId, ids } of await query<Allowed>(em, ALLOWED, [clientId])) {
      const act = { accountId, operation: 'oauth.client', object: { type: 'oauth_grant', ids }, requestId };
      await recordChange(context, operatorChange(act), em);
    }
  });
}

interface Allowed {
  account_id: string;
  ids: string[];
}
