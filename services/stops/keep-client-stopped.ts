/**
 * Keeps an agent stopped that is allowed again: its new grant gets a separate stop, which ends when a person releases it
 * (docs/contract/stops.md#what-it-does). Otherwise a person who may not release stops would end one by allowing the agent again.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { statement } from '../../entities/statement.ts';
import type { Context } from '../context.ts';

/** SQL: the active stops `s` of grants of a client. */
export function stopsOfClient({ accountId, clientId }: Readonly<Record<'accountId' | 'clientId', string>>): string {
  return `stops s join oauth_grants g on g.id = s.target_id
    where s.account_id = ${accountId} and s.kind = 'grant' and s.released_at is null
      and g.account_id = ${accountId} and g.client_id = ${clientId}`;
}

// The stop is locked: one that is released while this is stored would go on in its copy.
const copyStop = statement('stop a grant as another one of its client', {
  parameters: { id: 'uuid', grantId: 'uuid', accountId: 'uuid', clientId: 'text' },
  sql: ({ id, grantId, accountId, clientId }) => `
    insert into stops (id, account_id, kind, target_id, reason, started_at, started_by_kind, started_by_id, started_by_name)
    select ${id}, s.account_id, s.kind, ${grantId}, s.reason, s.started_at, s.started_by_kind, s.started_by_id, s.started_by_name
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
