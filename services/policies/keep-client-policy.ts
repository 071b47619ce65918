/**
 * Keeps the policy of an agent that is allowed again: its new grant gets a policy with the rules of an earlier one
 * (docs/decisions/0142-keep-the-policy-of-an-agent-that-is-allowed-again.md). Otherwise a person who may not decide about policies
 * would end one by allowing the agent again.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { statement } from '../../entities/statement.ts';
import type { Context } from '../context.ts';

type ClientParameters = Readonly<Record<'accountId' | 'clientId' | 'mode', string>>;

// Revoked grants count for as long as they are kept: people revoke what they allowed, and agents return their access.
const policiesOfClient = ({ accountId, clientId, mode }: ClientParameters) => `
  policies y join oauth_grants g on g.id = y.id
  where g.account_id = ${accountId} and g.client_id = ${clientId} and g.mode = ${mode}`;

// The policy of the same person comes first: with that of another person, an agent could get looser rules than it had.
const copyPolicy = statement('give a grant the policy of an earlier one of its client', {
  parameters: { grantId: 'uuid', accountId: 'uuid', clientId: 'text', mode: 'text', ownerId: 'uuid' },
  result: { id: 'uuid' },
  sql: ({ grantId, ownerId, ...client }) => `
    with copied as (
      insert into policies (id, account_id, kind, rules, counts_with, changed_at, changed_by_kind, changed_by_id, changed_by_name)
      select ${grantId}, y.account_id, y.kind, y.rules, coalesce(y.counts_with, y.id), y.changed_at, y.changed_by_kind,
        y.changed_by_id, y.changed_by_name
      from ${policiesOfClient(client)}
      order by (g.owner_id = ${ownerId}) desc, g.id desc limit 1
      returning id
    )
    update oauth_grants g set policy_id = c.id from copied c where g.id = c.id returning g.id`,
});

const findPolicy = statement('find a policy of a client', {
  parameters: { accountId: 'uuid', clientId: 'text', mode: 'text' },
  result: { id: 'uuid' },
  sql: (client) => `select y.id from ${policiesOfClient(client)} limit 1`,
});

export interface ClientInMode {
  readonly accountId: string;
  readonly clientId: string;
  readonly mode: 'live' | 'test';
}

/**
 * Call it under {@link holdPolicies}, so that no policy changes meanwhile.
 *
 * @param grant the new one, stored in this transaction
 * @returns whether it has a policy now
 */
export async function keepClientPolicy(
  em: SqlEntityManager,
  { grantId, ownerId, accountId, clientId, mode }: ClientInMode & Readonly<Record<'grantId' | 'ownerId', string>>,
): Promise<boolean> {
  return (await copyPolicy(em, { grantId, ownerId, accountId, clientId, mode })).length > 0;
}

/** Whether a grant that a person gives to the client will have a policy. */
export async function hasClientPolicy({ db }: Context, { accountId, clientId, mode }: ClientInMode): Promise<boolean> {
  return (await findPolicy(db.queries, { accountId, clientId, mode })).length > 0;
}
