/** Finds the key or grant that a policy or a stop names. A caller in test mode finds those in test mode only. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { PolicyKind } from '../../entities/policy.ts';
import { statement } from '../../entities/statement.ts';
import type { Caller } from './caller.ts';

const findTarget = statement('find a key or grant', {
  parameters: { accountId: 'uuid', mode: 'text', id: 'uuid' },
  result: { kind: 'text', revoked_at: 'timestamptz?', client_id: 'text?' },
  sql: ({ accountId, mode, id }) => `
    select 'key' as kind, k.revoked_at, null as client_id from api_keys k
    where k.id = ${id} and k.account_id = ${accountId} and (${mode} = 'live' or k.type = 'test')
    union all
    select 'grant' as kind, g.revoked_at, g.client_id from oauth_grants g
    where g.id = ${id} and g.account_id = ${accountId} and (${mode} = 'live' or g.mode = 'test')`,
});

export interface Target {
  readonly kind: PolicyKind;
  readonly isRevoked: boolean;
  /** The client of a grant; null for a key. */
  readonly clientId: string | null;
}

/** @returns null when the caller reaches neither a key nor a grant with that id */
export async function findKeyOrGrant(
  em: SqlEntityManager,
  { accountId, mode }: Pick<Caller, 'accountId' | 'mode'>,
  id: string,
): Promise<Target | null> {
  const [found] = await findTarget(em, { accountId, mode, id });
  if (found === undefined) return null;
  return { kind: found.kind as PolicyKind, isRevoked: found.revoked_at !== null, clientId: found.client_id };
}
