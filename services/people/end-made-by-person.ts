/** Ends the keys and webhooks that agents created with the grants of a person, in the caller's transaction. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { tables } from '../../entities/tables.ts';
import { endMadeBy } from '../keys/end-made-by.ts';

export interface GrantGiver {
  readonly accountId: string;
  readonly personId: string;
  readonly at: Date;
}

/**
 * Call it before the people of the account are locked: grants and keys are locked before the account everywhere.
 *
 * @returns ids of the person's grants, which stay
 */
export async function endMadeByPerson(
  em: SqlEntityManager,
  { accountId, personId, at }: GrantGiver,
): Promise<string[]> {
  const grants = await tables(em)
    .selectFrom('oauth_grants')
    .select('id')
    .where('account_id', '=', accountId)
    .where('owner_id', '=', personId)
    .orderBy('id')
    // A key or webhook that is created meanwhile waits, and then sees the changed role (holdMaker).
    .forUpdate()
    .execute();
  const grantIds = grants.map(({ id }) => id);
  await endMadeBy(em, { keyIds: [], grantIds }, at);
  return grantIds;
}
