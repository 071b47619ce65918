/** Ensures at startup that an owner can sign in: the owner from the environment, or a link to set one up. */
import { Account } from '../../entities/account.ts';
import { Owner } from '../../entities/owner.ts';
import { tables } from '../../entities/tables.ts';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { operatorChange } from '../audit/operator-change.ts';
import { recordChange } from '../audit/record-change.ts';
import type { Context } from '../context.ts';
import { hashPassword } from './argon2id.ts';
import { addOwnerLink, type NewOwnerLink } from './owner-links.ts';
import { passwordWork } from './password-work.ts';
import { storeOwner } from './set-up-owner.ts';

/**
 * Concerns the first account only, and does nothing once it has an owner: the owner's later choices override the
 * environment.
 *
 * @returns a link to show to the operator; null when none is needed
 */
export async function startOwner(context: Context): Promise<NewOwnerLink | null> {
  const [first] = await context.db.em().find(Account, {}, { orderBy: { id: 'asc' }, limit: 1 });
  if (first === undefined || (await context.db.em().count(Owner, { accountId: first.id })) > 0) return null;
  const { owner } = context.config;
  if (owner === null) return addOwnerLink(context, first.id);
  const passwordHash = await passwordWork(() => hashPassword(owner.password, context.random.bytes));
  await context.db.em().transactional(async (em: SqlEntityManager) => {
    await tables(em).selectFrom('accounts').select('id').where('id', '=', first.id).forUpdate().execute();
    if ((await em.count(Owner, { accountId: first.id })) > 0) return;
    if ((await em.count(Owner, { email: owner.email })) > 0) {
      throw new Error('OWNER_EMAIL: belongs to the owner of another account of this install; choose another address');
    }
    const { email } = owner;
    const stored = { before: null, accountId: first.id, email, role: 'owner', passwordHash } as const;
    const ownerId = await storeOwner(context, em, stored);
    const object = { type: 'owner', ids: [ownerId] };
    const act = { accountId: first.id, operation: 'owner.setUp', object, requestId: null };
    await recordChange(context, operatorChange(act), em);
  });
  return null;
}
