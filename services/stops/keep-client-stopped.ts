/**
 * Keeps an agent stopped that is allowed again: its new grant gets a separate stop, which ends when a person releases it
 * (docs/contract/stops.md#what-it-does). Otherwise a person who may not release stops would end one by allowing the agent again.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { statement } from '../../entities/statement.ts';
import type { Context } from '../context.ts';

/** SQL: the active stops `s` of grants of a client, also of grants that are deleted. */
export function stopsOfClient({ accountId, clientId }: Readonly<Record<'accountId' | 'clientId', string>>): string {
  // Without the column: of a version before it.
  const ofGrant = `(select g.client_id from oauth_grants g where g.id = s.target_id and g.account_id = s.account_id)`;
  return `stops s
    where s.account_id = ${accountId} and s.kind = 'grant' and s.released_at is null
      and coalesce(s.client_id, ${ofGrant}) = ${clientId}`;
}

// The stop is locked: one that is released while this is stored would go on in its copy.
const copyStop = statement('stop a grant as another one of its client', {
  parameters: { id: 'uuid', grantId: 'uuid', accountId: 'uuid', clientId: 'text' },
  sql: ({ id, grantId, accountId, clientId }) => `
    insert into stops (id, account_id, kind, target_id, client_id, reason, started_at, started_by_kind, started_by_id, started_by_name)
    select ${id}, s.account_id, s.kind, ${grantId}, ${clientId}, s.reason, s.started_at, s.started_by_kind, s.started_by_id, s.started_by_name
    from ${stopsOfClient({ accountId, clientId })}
    order by s.id limit 1 for share of s`,
});

export interface ClientOfAccount {
  readonly accountId: string;
  readonly clientId: string;
}

/** @param grantId the new grant, stored in this transaction */
export async function keepClientStopped(
  { random }: Context,
  em: SqlEntityManager,
  { grantId, accountId, clientId }: ClientOfAccount & { readonly grantId: string },
): Promise<void> {
  await copyStop(em, { id: random.uuid(), grantId, accountId, clientId });
}
