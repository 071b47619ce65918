/** Signs an owner out, in this browser or another one. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { recordChange } from '../audit/record-change.ts';
import type { Context } from '../context.ts';
import { aboutSignIn, ownerChange, type Visit } from './owner-change.ts';
import { endSignIn, type SignedInPerson } from './sign-ins.ts';

/** @param id of the sign-in to end; the sign-in of another owner is not changed */
export async function endOwnSignIn(context: Context, person: SignedInPerson, id: string, visit: Visit): Promise<void> {
  const operation = id === person.signInId ? 'owner.signOut' : 'owner.endSignIn';
  await context.db.em().transactional(async (em: SqlEntityManager) => {
    const outcome = (await endSignIn(em, person.ownerId, id)) ? 'ok' : 'not_found';
    await recordChange(context, ownerChange(person, visit, { operation, outcome, object: aboutSignIn(id) }), em);
  });
}
