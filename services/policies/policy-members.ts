/** The keys and the grant that follow the policy of a key or grant: itself, and every key that was created under it. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { statement } from '../../entities/statement.ts';
import { tables } from '../../entities/tables.ts';
import type { Caller } from '../access/caller.ts';

const keysUnder = (accountId: string, id: string) => `
  made as (
    select k.id from api_keys k
    where k.account_id = ${accountId} and (k.id = ${id} or k.created_by_key_id = ${id} or k.grant_id = ${id})
    union
    select k.id from made m join api_keys k on k.created_by_key_id = m.id where k.account_id = ${accountId}
  )`;

/** Ids of those that create posts under the key or grant. */
export const listMembers = statement('list the keys under a key or grant', {
  parameters: { accountId: 'uuid', id: 'uuid' },
  result: { id: 'uuid' },
  sql: ({ accountId, id }) => `with recursive ${keysUnder(accountId, id)} select id from made union select ${id}`,
});

const assignKeys = statement('give keys a policy', {
  parameters: { accountId: 'uuid', id: 'uuid' },
  result: { id: 'uuid' },
  sql: ({ accountId, id }) => `
    with recursive ${keysUnder(accountId, id)}
    update api_keys k set policy_id = ${id} from made m
    where k.id = m.id and k.policy_id is distinct from ${id} returning k.id`,
});

const releaseKeys = statement('take a policy from keys', {
  parameters: { accountId: 'uuid', id: 'uuid' },
  result: { id: 'uuid' },
  sql: ({ accountId, id }) =>
    `update api_keys set policy_id = null where account_id = ${accountId} and policy_id = ${id} returning id`,
});

/** Gives the policy to all of them, or takes it from all that have it. */
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
