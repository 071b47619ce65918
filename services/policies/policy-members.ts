/**
 * The keys and the grant that follow the policy of a key or grant: itself, and every key that was created under it. Not those with their
 * own policy, nor what was created under these.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { statement } from '../../entities/statement.ts';
import { tables } from '../../entities/tables.ts';
import type { Caller } from '../access/caller.ts';

const HAS_OWN_POLICY = 'exists (select 1 from policies y where y.id = k.id)';

const members = (accountId: string, id: string) => `
  members as (
    select k.id from api_keys k
    where k.account_id = ${accountId}
      and (k.id = ${id} or ((k.created_by_key_id = ${id} or k.grant_id = ${id}) and not ${HAS_OWN_POLICY}))
    union
    select k.id from members m join api_keys k on k.created_by_key_id = m.id
    where k.account_id = ${accountId} and not ${HAS_OWN_POLICY}
  )`;

/** Ids of those whose posts follow the policy of the key or grant, or would if it had one. */
export const listMembers = statement('list the keys under a key or grant', {
  parameters: { accountId: 'uuid', id: 'uuid' },
  result: { id: 'uuid' },
  sql: ({ accountId, id }) => `with recursive ${members(accountId, id)} select id from members union select ${id}`,
});

/** SQL: whether a key in force follows the policy, which outlives its own key then. */
export const isFollowed = (id: string) =>
  `coalesce((select true from api_keys f where f.policy_id = ${id} and f.revoked_at is null limit 1), false)`;

const findMemberInForce = statement('find a key in force under a key', {
  parameters: { accountId: 'uuid', id: 'uuid' },
  result: { id: 'uuid' },
  sql: ({ accountId, id }) => `
    with recursive ${members(accountId, id)}
    select k.id from members m join api_keys k on k.id = m.id where k.revoked_at is null limit 1`,
});

/** Whether a policy of the key, which may be revoked, binds any key. */
export async function bindsAny(
  em: SqlEntityManager,
  { accountId }: Pick<Caller, 'accountId'>,
  id: string,
): Promise<boolean> {
  return (await findMemberInForce(em, { accountId, id })).length > 0;
}

const assignKeys = statement('give keys a policy', {
  parameters: { accountId: 'uuid', id: 'uuid' },
  result: { id: 'uuid' },
  sql: ({ accountId, id }) => `
    with recursive ${members(accountId, id)}
    update api_keys k set policy_id = ${id} from members m
    where k.id = m.id and k.policy_id is distinct from ${id} returning k.id`,
});

// What its creator follows is the nearest policy above: nothing between them has one.
const releaseKeys = statement('give keys the policy of their creator', {
  parameters: { accountId: 'uuid', id: 'uuid' },
  result: { id: 'uuid' },
  sql: ({ accountId, id }) => `
    update api_keys set policy_id = (
      select coalesce(c.policy_id, g.policy_id) from api_keys k
      left join api_keys c on c.id = k.created_by_key_id left join oauth_grants g on g.id = k.grant_id
      where k.id = ${id})
    where account_id = ${accountId} and policy_id = ${id} returning id`,
});

/** Gives the policy to those that follow it, or takes it from them. */
export async function assignPolicy(
  em: SqlEntityManager,
  { accountId }: Caller,
  id: string,
  policyId: string | null,
): Promise<void> {
  await tables(em)
    .updateTable('oauth_grants')
    .set({ policy_id: policyId })
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .execute();
  const change = policyId === null ? releaseKeys : assignKeys;
  // A key that is being created holds its creator, so each round waits for the keys that the one before could not see.
  let changed = await change(em, { accountId, id });
  while (changed.length > 0) changed = await change(em, { accountId, id });
}
