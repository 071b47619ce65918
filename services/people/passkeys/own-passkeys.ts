/** The passkeys of an owner, to look at and to remove. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Passkey } from '../../../entities/passkey.ts';
import type { Context } from '../../context.ts';
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

/** Another's is left alone. */
export async function removePasskey(context: Context, { ownerId }: SignedInPerson, id: string): Promise<void> {
  const removed = await context.db.em().nativeDelete(Passkey, { id, ownerId });
  if (removed > 0) context.log.info({ ownerId }, 'an owner removed a passkey');
}

export async function removePasskeys(em: SqlEntityManager, ownerId: string): Promise<void> {
  await em.nativeDelete(Passkey, { ownerId });
}
