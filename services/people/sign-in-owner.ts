/** Signs in an authenticated owner, and records it in the audit log. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Owner } from '../../entities/owner.ts';
import { recordChange } from '../audit/record-change.ts';
import type { Context } from '../context.ts';
import { holdPassword } from './hold-sign-in.ts';
import { ownerIdentity } from './owner-caller.ts';
import { aboutSignIn, ownerChange, type Visit } from './owner-change.ts';
import { beginSignIn } from './sign-ins.ts';

/**
 * @param isProved whether the password or passkey that was checked is still one of the owner's; called under the lock of
 *   holdPassword
 * @returns the secret for the browser; null when it is not
 */
export async function signInOwner(
  context: Context,
  owner: Owner,
  visit: Visit,
  isProved: (em: SqlEntityManager, passwordInForce: string | null) => Promise<boolean> | boolean,
): Promise<string | null> {
  const secret = await context.db.em().transactional(async (em: SqlEntityManager) => {
    if (!(await isProved(em, await holdPassword(em, owner.id)))) return null;
    const begun = await beginSignIn(context, owner.id, visit.userAgent, em);
    const act = { operation: 'owner.signIn', outcome: 'ok', object: aboutSignIn(begun.id) } as const;
    await recordChange(context, ownerChange(ownerIdentity(owner), visit, act), em);
    return begun.secret;
  });
  if (secret !== null) context.log.info({ ownerId: owner.id }, 'an owner signed in');
  return secret;
}
