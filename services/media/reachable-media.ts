/** The one place that defines which images a caller reaches: every query built from it includes the tenant check. */
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { ownerOfList } from '../../entities/any-of.ts';
import type { Schema } from '../../entities/tables.ts';
import type { Caller } from '../access/caller.ts';

/** Condition of a query of `media`: usable images of the key's account and profile. */
export function reachableMedia(caller: Caller): (of: ExpressionBuilder<Schema, 'media'>) => Expression<SqlBool> {
  return (of) => {
    const existingProfile = of
      .selectFrom('profiles')
      .select('profiles.id')
      .whereRef('profiles.id', '=', 'media.profile_id')
      .where('profiles.deleted_at', 'is', null);
    const conditions: Expression<SqlBool>[] = [
      of('media.account_id', '=', ownerOfList(caller.accountId)),
      of('media.state', '=', 'stored'),
      // Uploads of a deleted profile are not reachable, not even for the whole account.
      of.or([of('media.profile_id', 'is', null), of.exists(existingProfile)]),
    ];
    if (caller.profileId !== null) conditions.push(of('media.profile_id', '=', caller.profileId));
    return of.and(conditions);
  };
}
