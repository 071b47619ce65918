/** Lists the people of an account, in the order in which they joined. */
import type { Role } from '../../entities/owner.ts';
import { tables } from '../../entities/tables.ts';
import type { Context } from '../context.ts';
import { dateOf, dateOrNull } from '../timestamp.ts';
import type { SignedInPerson } from './sign-ins.ts';

export interface PersonView {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly createdAt: Date;
  /** Last use of a browser that is signed in; null when none is. */
  readonly lastSeenAt: Date | null;
}

export async function listPeople(
  context: Context,
  { accountId }: Pick<SignedInPerson, 'accountId'>,
): Promise<PersonView[]> {
  const rows = await tables(context.db.queries)
    .selectFrom('owners as o')
    .leftJoin('sign_ins as s', 's.owner_id', 'o.id')
    .select(['o.id', 'o.email', 'o.role', 'o.created_at'])
    .select(({ fn }) => fn.max<string | null>('s.last_seen_at').as('last_seen_at'))
    .where('o.account_id', '=', accountId)
    .groupBy('o.id')
    .orderBy('o.id')
    .execute();
  return rows.map(({ id, email, role, created_at: createdAt, last_seen_at: lastSeenAt }) => ({
    id,
    email,
    role,
    createdAt: dateOf(createdAt),
    lastSeenAt: dateOrNull(lastSeenAt),
  }));
}
