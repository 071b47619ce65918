/** Signs in an authenticated owner, and records it in the audit log. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Owner } from '../../entities/owner.ts';
import { recordChange } from '../audit/record-change.ts';
import type { Context } from '../context.ts';
import { ownerIdentity } from './owner-caller.ts';
import { aboutSignIn, ownerChange, type Visit } from './owner-change.ts';
import { beginSignIn } from './sign-ins.ts';

/** @returns the secret for the browser */
export async function signInOwner(context: Context, owner: Owner, visit: Visit): Promise<string> {
  const secret = await context.db.em().transactional(async (em: SqlEntityManager) => {
    const begun = await beginSignIn(context, owner.id, visit.userAgent, em);
    const act = { operation: 'owner.signIn', outcome: 'ok', object: aboutSignIn(begun.id) } as const;
    await recordChange(context, ownerChange(ownerIdentity(owner), visit, act), em);
    return begun.secret;
  });
  context.log.info({ ownerId: owner.id }, 'an owner signed in');
  return secret;
}
