/** Lists and removes the passkeys of an owner. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Passkey } from '../../../entities/passkey.ts';
import { recordChange } from '../../audit/record-change.ts';
import type { Context } from '../../context.ts';
import { aboutPasskey, ownerChange, type Visit } from '../owner-change.ts';
import type { SignedInPerson } from '../sign-ins.ts';

export interface PasskeyView {
  readonly id: string;
  readonly createdAt: Date;
  readonly lastUsedAt?: Date | null | undefined;
}

/** Newest first. */
export function listPasskeys(context: Context, { ownerId }: SignedInPerson): Promise<PasskeyView[]> {
  return context.db.em().find(Passkey, { ownerId }, { orderBy: { id: 'desc' } });
}

/** Does not remove the passkey of another owner. */
export async function removePasskey(context: Context, person: SignedInPerson, id: string, visit: Visit): Promise<void> {
  const { ownerId } = person;
  const isRemoved = await context.db.em().transactional(async (em: SqlEntityManager) => {
    const removed = (await em.nativeDelete(Passkey, { id, ownerId })) > 0;
    const outcome = removed ? 'ok' : 'not_found';
    const act = { operation: 'owner.removePasskey', outcome, object: aboutPasskey(id) } as const;
    await recordChange(context, ownerChange(person, visit, act), em);
    return removed;
  });
  if (isRemoved) context.log.info({ ownerId }, 'an owner removed a passkey');
}

export async function removePasskeys(em: SqlEntityManager, ownerId: string): Promise<void> {
  await em.nativeDelete(Passkey, { ownerId });
}
