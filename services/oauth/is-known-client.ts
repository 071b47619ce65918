/** Checks whether a client is trusted: an owner has allowed it before, or the operator has added it. */
import { query } from '../../entities/query.ts';
import type { Context } from '../context.ts';

// Clients that the operator adds do not expire; clients that register themselves do.
const KNOWN = `
  select 1 where exists (select 1 from oauth_grants where client_id = $1)
    or exists (select 1 from oauth_artifacts
      where kind = 'Client' and payload->>'client_id' = $1 and expires_at is null)`;

export async function isKnownClient(context: Context, clientId: string): Promise<boolean> {
  return (await query(context.db.em(), KNOWN, [clientId])).length > 0;
}
