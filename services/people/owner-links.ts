/** Links for setting up the owner of an account, or for choosing a new password after losing it. */
import { OwnerLink } from '../../entities/owner-link.ts';
import { Owner } from '../../entities/owner.ts';
import { Account } from '../../entities/account.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { operatorChange } from '../audit/operator-change.ts';
import { recordChange } from '../audit/record-change.ts';
import type { Context } from '../context.ts';
import { hashSecret } from '../secrets.ts';

/** How long a link is valid. */
const GOOD_FOR_MS = 3_600_000;

/** A valid link and its purpose. */
export interface OpenOwnerLink {
  readonly accountId: string;
  /** Address of the owner whose password it replaces; null when it creates the owner. */
  readonly email: string | null;
}

/** Shown to the operator once, because the secret is not stored. */
export interface NewOwnerLink {
  readonly url: string;
  readonly expiresAt: Date;
}

/** Creates a link in addition to open ones: processes that start at the same time each print a valid link. */
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
 * Creates a link and invalidates the account's other links.
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

/** Reads a link without using it. */
export async function findOwnerLink(context: Context, secret: string): Promise<OpenOwnerLink | null> {
  const em = context.db.em();
  const open = { secretHash: hashSecret(secret), expiresAt: { $gt: context.clock.now() } };
  const link = await em.findOne(OwnerLink, open);
  if (link === null) return null;
  const owner = await em.findOne(Owner, { accountId: link.accountId });
  return { accountId: link.accountId, email: owner?.email ?? null };
}
