/** Checks whether a client is trusted: an owner has allowed it before, or the operator has added it. */
import { statement } from '../../entities/statement.ts';
import type { Context } from '../context.ts';

// Clients that the operator adds do not expire; clients that register themselves do.
const findKnownClient = statement('find a trusted client', {
  parameters: { clientId: 'text' },
  result: { isKnown: 'boolean' },
  sql: ({ clientId }) => `
    select exists (select 1 from oauth_grants where client_id = ${clientId})
      or exists (select 1 from oauth_artifacts
        where kind = 'Client' and payload->>'client_id' = ${clientId} and expires_at is null) as "isKnown"`,
});

export async function isKnownClient(context: Context, clientId: string): Promise<boolean> {
  const [found] = await findKnownClient(context.db.em(), { clientId });
  return found?.isKnown ?? false;
}
