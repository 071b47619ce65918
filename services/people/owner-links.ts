/** Links for setting up the owner of an account, for choosing a new password after losing it, and for invited people. */
import { OwnerLink } from '../../entities/owner-link.ts';
import { Owner, type Role } from '../../entities/owner.ts';
import { Account } from '../../entities/account.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { operatorChange } from '../audit/operator-change.ts';
import { recordChange } from '../audit/record-change.ts';
import type { Context } from '../context.ts';
import { lockAccount } from '../plans/plan-usage.ts';
import { hashSecret } from '../secrets.ts';

/** How long a link is valid. */
const GOOD_FOR_MS = 3_600_000;

/** A valid link and its purpose. */
export interface OpenOwnerLink {
  readonly accountId: string;
  readonly purpose: 'first owner' | 'new password' | 'invitation';
  /** Address of the invited person, or of the person whose password it replaces; null for the first owner. */
  readonly email: string | null;
  /** Role that it gives. */
  readonly role: Role;
}

/** Shown to the operator once, because the secret is not stored. */
export interface NewOwnerLink {
  readonly url: string;
  readonly expiresAt: Date;
}

export function setUpUrl({ config }: Context, secret: string): string {
  return `${config.publicUrl}/set-up/${secret}`;
}

/**
 * Creates a link in addition to open ones: processes that start at the same time each print a valid link.
 *
 * @param ownerId the person whose password it replaces; null while the account has no owner
 */
export async function addOwnerLink(
  context: Context,
  accountId: string,
  ownerId: string | null = null,
  em: SqlEntityManager = context.db.em(),
): Promise<NewOwnerLink> {
  const secret = context.random.bytes(32).toString('base64url');
  const now = context.clock.now();
  const expiresAt = new Date(now.getTime() + GOOD_FOR_MS);
  const id = context.random.uuid();
  const link = { id, accountId, ownerId, email: null, role: null, invitedBy: null };
  await em.insert(OwnerLink, { ...link, secretHash: hashSecret(secret), expiresAt, createdAt: now });
  return { url: setUpUrl(context, secret), expiresAt };
}

export interface WantedLink {
  readonly accountId: string;
  /** Whose password it replaces; null for the owner who joined first. */
  readonly email: string | null;
  readonly requestId: string;
}

/**
 * Creates a link and invalidates the account's earlier ones. Invitations stay.
 *
 * @throws ServiceError not_found
 */
export async function replaceOwnerLinks(
  context: Context,
  { accountId, email, requestId }: WantedLink,
): Promise<NewOwnerLink> {
  return context.db.em().transactional(async (em: SqlEntityManager) => {
    if ((await em.count(Account, { id: accountId })) === 0) {
      throw new ServiceError('not_found', `No account has the id ${accountId}.`);
    }
    // No one leaves or joins until the link is stored.
    await lockAccount(em, accountId);
    // Stored by id: once this person is removed, the link must not be for the owner who is the first by then.
    const person = email === null ? await firstOwner(em, accountId) : await em.findOne(Owner, { accountId, email });
    if (email !== null && person === null) {
      throw new ServiceError('not_found', `No person of the account ${accountId} has the email ${email}.`);
    }
    await em.nativeDelete(OwnerLink, { accountId, role: null });
    const object = { type: 'account', ids: [accountId] };
    await recordChange(context, operatorChange({ accountId, operation: 'owner.link', object, requestId }), em);
    return addOwnerLink(context, accountId, person?.id ?? null, em);
  });
}

/** Reads a link without using it. */
export async function findOwnerLink(context: Context, secret: string): Promise<OpenOwnerLink | null> {
  const em = context.db.em();
  const open = { secretHash: hashSecret(secret), expiresAt: { $gt: context.clock.now() } };
  const link = await em.findOne(OwnerLink, open);
  if (link === null) return null;
  const { accountId, email, role } = link;
  if (email != null && role != null) return { accountId, purpose: 'invitation', email, role };
  const person = await personOfLink(em, link);
  if (person === null) return { accountId, purpose: 'first owner', email: null, role: 'owner' };
  return { accountId, purpose: 'new password', email: person.email, role: person.role };
}

/**
 * The person whose email and password a link replaces that is no invitation; null while the account has no owner. Links of
 * earlier versions name no one although there is an owner.
 */
export function personOfLink(
  em: SqlEntityManager,
  { accountId, ownerId }: Pick<OwnerLink, 'accountId' | 'ownerId'>,
): Promise<Owner | null> {
  return ownerId == null ? firstOwner(em, accountId) : em.findOne(Owner, { id: ownerId, accountId });
}

/** The owner who joined first; null while the account has none. */
function firstOwner(em: SqlEntityManager, accountId: string): Promise<Owner | null> {
  return em.findOne(Owner, { accountId, role: 'owner' }, { orderBy: { id: 'asc' } });
}
