/** Revokes what gives access to a profile that is deleted: its keys, or the grants of its agents. */
import { statement } from '../../entities/statement.ts';

const parameters = { accountId: 'uuid', profileId: 'uuid', at: 'timestamptz' } as const;

/** @returns a statement that gives the ids of those that were revoked now */
export function revokeOfProfile(table: 'api_keys' | 'oauth_grants') {
  return statement(`revoke the ${table} of a profile`, {
    parameters,
    result: { id: 'uuid' },
    sql: ({ accountId, profileId, at }) => `
      with held as (
        select id from ${table} where account_id = ${accountId} and profile_id = ${profileId} and revoked_at is null
        order by id for update
      )
      update ${table} t set revoked_at = ${at} from held h where t.id = h.id returning t.id`,
  });
}

/** A profile that is deleted, and when. */
export interface DeletedProfile {
  readonly accountId: string;
  readonly profileId: string;
  readonly at: Date;
}
