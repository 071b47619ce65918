/** Ends what agents created with the grants of a person who is removed or gets another role, in the caller's transaction. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { tables } from '../../entities/tables.ts';
import { endMadeBy } from '../keys/end-made-by.ts';

export interface GrantGiver {
  readonly accountId: string;
  readonly personId: string;
  readonly at: Date;
  /** Whether the grants stay: then only keys and webhooks end, which agents of owners alone can create. */
  readonly grantsStay: boolean;
}

/** Call it before the people of the account are locked: grants and keys are locked before the account everywhere. */
export async function endMadeByPerson(
  em: SqlEntityManager,
  { accountId, personId, at, grantsStay }: GrantGiver,
): Promise<void> {
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
  const ended = grantsStay ? { grantIds: [], limitedGrantIds: grantIds } : { grantIds };
  await endMadeBy(em, { keyIds: [], ...ended }, at);
}
