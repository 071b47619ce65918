/**
 * Uses a link: creates the owner of its account or the person who was invited, or sets a new address and password for a
 * person and removes every other way to sign in.
 */
import { OwnerLink } from '../../entities/owner-link.ts';
import { Owner, type Role } from '../../entities/owner.ts';
import { UniqueConstraintViolationException } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { recordChange } from '../audit/record-change.ts';
import type { Context } from '../context.ts';
import { hashSecret } from '../secrets.ts';
import { hashPassword } from './argon2id.ts';
import { lockAccount } from '../plans/plan-usage.ts';
import { aboutOwner, aboutPerson, ownerChange, type Visit } from './owner-change.ts';
import { clearAddress } from './login-throttle.ts';
import { personOfLink } from './owner-links.ts';
import { passwordWork } from './password-work.ts';
import { removePasskeys } from './passkeys/own-passkeys.ts';
import { beginSignIn, endSignIns } from './sign-ins.ts';

/** `email`: the address that now signs in. `taken`: another person on this install has that address. */
export type SetUp =
  | { readonly kind: 'done'; readonly secret: string; readonly email: string }
  | { readonly kind: 'gone' }
  | { readonly kind: 'taken' };

export interface NewOwner extends Visit {
  /** Normalized by emailAddress. An invited person has the address of the invitation instead. */
  readonly email: string;
  readonly password: string;
}

/** @param secret of the link, which becomes invalid once the person can sign in */
export async function setUpOwner(context: Context, secret: string, owner: NewOwner): Promise<SetUp> {
  const passwordHash = await passwordWork(() => hashPassword(owner.password, context.random.bytes));
  const work = async (em: SqlEntityManager): Promise<SetUp> => {
    const link = await lockLink(context, em, secret);
    if (link === null) return { kind: 'gone' };
    const { accountId, role } = link;
    const email = link.email ?? owner.email;
    const before = role == null ? await personOfLink(em, link) : null;
    if (await isTaken(em, email, before)) return { kind: 'taken' };
    const ownerId = await storeOwner(context, em, { before, accountId, email, role: role ?? 'owner', passwordHash });
    await em.nativeDelete(OwnerLink, role == null ? { accountId, role: null } : { id: link.id });
    await endSignIns(em, ownerId, null);
    await removePasskeys(em, ownerId);
    const identity = { ownerId, accountId, email };
    const act =
      role == null
        ? ({ operation: 'owner.setUp', outcome: 'ok', object: aboutOwner(identity) } as const)
        : ({ operation: 'people.join', outcome: 'ok', object: aboutPerson(ownerId) } as const);
    await recordChange(context, ownerChange(identity, owner, act), em);
    context.log.info({ accountId }, 'an owner was set up');
    const { secret: shown } = await beginSignIn(context, ownerId, owner.userAgent, em);
    return { kind: 'done', secret: shown, email };
  };
  try {
    const outcome = await context.db.em().transactional(work);
    // The failures were about the password that is replaced.
    if (outcome.kind === 'done') await clearAddress(context, { email: outcome.email, ip: owner.ip });
    return outcome;
  } catch (error) {
    // The lock is of one account: a person of another one has taken the address meanwhile.
    if (error instanceof UniqueConstraintViolationException) return { kind: 'taken' };
    throw error;
  }
}

/** Of two concurrent uses of an account's links, the second one finds no link. */
async function lockLink(context: Context, em: SqlEntityManager, secret: string): Promise<OwnerLink | null> {
  const open = { secretHash: hashSecret(secret), expiresAt: { $gt: context.clock.now() } };
  const link = await em.findOne(OwnerLink, open);
  if (link === null) return null;
  await lockAccount(em, link.accountId);
  return em.findOne(OwnerLink, open, { refresh: true });
}

async function isTaken(em: SqlEntityManager, email: string, before: Owner | null): Promise<boolean> {
  const other = await em.findOne(Owner, { email });
  return other !== null && other.id !== before?.id;
}

interface StoredOwner extends Pick<Owner, 'accountId' | 'email'> {
  /** The person whose email and password it replaces; null creates one. */
  readonly before: Owner | null;
  /** Role of a new person. */
  readonly role: Role;
  readonly passwordHash: string;
}

/** The caller has locked the account. @returns id of the person */
export async function storeOwner(
  context: Context,
  em: SqlEntityManager,
  { before, accountId, email, role, passwordHash }: StoredOwner,
): Promise<string> {
  if (before !== null) {
    await em.nativeUpdate(Owner, { id: before.id, accountId }, { email, passwordHash });
    return before.id;
  }
  const id = context.random.uuid();
  await em.insert(Owner, { id, accountId, email, role, passwordHash, createdAt: context.clock.now() });
  return id;
}
