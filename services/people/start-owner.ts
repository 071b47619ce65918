/** Ensures at startup that an owner can sign in: the owner from the environment, or a link to set one up. */
import { Account } from '../../entities/account.ts';
import { Owner } from '../../entities/owner.ts';
import { OwnerLink } from '../../entities/owner-link.ts';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { operatorChange } from '../audit/operator-change.ts';
import { recordChange } from '../audit/record-change.ts';
import type { Context } from '../context.ts';
import { lockAccount } from '../plans/plan-usage.ts';
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
  const accountId = first.id;
  const owner = await ownerFromSettings(context);
  return context.db.em().transactional(async (em: SqlEntityManager) => {
    // A process with the setting and one without it may start together: without the lock a link could outlast the check.
    await lockAccount(em, accountId);
    if ((await em.count(Owner, { accountId })) > 0) return null;
    if (owner === null) return addOwnerLink(context, accountId, null, em);
    const { email, passwordHash } = owner;
    if ((await em.count(Owner, { email })) > 0) {
      throw new Error('OWNER_EMAIL: belongs to the owner of another account of this install; choose another address');
    }
    const ownerId = await storeOwner(context, em, { before: null, accountId, email, role: 'owner', passwordHash });
    // Earlier starts printed them, and each would now replace the email and password of this owner.
    await em.nativeDelete(OwnerLink, { accountId, role: null });
    const object = { type: 'owner', ids: [ownerId] };
    await recordChange(context, operatorChange({ accountId, operation: 'owner.setUp', object, requestId: null }), em);
    return null;
  });
}

/** The owner whom the environment names, null when it names none. Hashed before the transaction, because that takes a while. */
async function ownerFromSettings({ config: { owner }, random }: Context) {
  if (owner === null) return null;
  const passwordHash = await passwordWork(() => hashPassword(owner.password, random.bytes));
  return { email: owner.email, passwordHash };
}
