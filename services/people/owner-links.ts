/** Links with which the owner of an account is set up, or chooses a new password after losing it. */
import { OwnerLink } from '../../entities/owner-link.ts';
import { Owner } from '../../entities/owner.ts';
import { Account } from '../../entities/account.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { operatorChange } from '../audit/operator-change.ts';
import { recordChange } from '../audit/record-change.ts';
import type { Context } from '../context.ts';
import { hashSecret } from '../secrets.ts';

/** How long a link works. */
const GOOD_FOR_MS = 3_600_000;

/** A link that works, and what it is for. */
export interface OpenOwnerLink {
  readonly accountId: string;
  /** Address of the owner whose password it replaces; null where it makes the owner. */
  readonly email: string | null;
}

/** What the operator is told once, because it is stored nowhere. */
export interface NewOwnerLink {
  readonly url: string;
  readonly expiresAt: Date;
}

/** Makes a link beside those that are open: processes that start together each print one that works. */
export async function addOwnerLink(
  context: Context,
  accountId: string,
  em: SqlEntityManager = context.db.em(),
): Promise<NewOwnerLink> {
  const secret = context.random.bytes(32).toString('base64url');
  const now = context.clock.now();
  const expiresAt = new Date(now.getTime() + GOOD_FOR_MS);
  const id = context.random.uuid();
  await em.insert(OwnerLink, { id, accountId, secretHash: hashSecret(secret), expiresAt, createdAt: now });
  return { url: `${context.config.publicUrl}/set-up/${secret}`, expiresAt };
}

/**
 * Makes the one link of an account that works.
 *
 * @throws ServiceError not_found
 */
export async function replaceOwnerLinks(context: Context, accountId: string, requestId: string): Promise<NewOwnerLink> {
  return context.db.em().transactional(async (em: SqlEntityManager) => {
    if ((await em.count(Account, { id: accountId })) === 0) {
      throw new ServiceError('not_found', `There is no account with the id ${accountId}.`);
    }
    await em.nativeDelete(OwnerLink, { accountId });
    const object = { type: 'account', ids: [accountId] };
    await recordChange(context, operatorChange({ accountId, operation: 'owner.link', object, requestId }), em);
    return addOwnerLink(context, accountId, em);
  });
}

/** Looks at a link without using it. */
export async function findOwnerLink(context: Context, secret: string): Promise<OpenOwnerLink | null> {
  const em = context.db.em();
  const open = { secretHash: hashSecret(secret), expiresAt: { $gt: context.clock.now() } };
  const link = await em.findOne(OwnerLink, open);
  if (link === null) return null;
  const owner = await em.findOne(Owner, { accountId: link.accountId });
  return { accountId: link.accountId, email: owner?.email ?? null };
}
