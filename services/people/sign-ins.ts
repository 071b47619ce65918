/** Starts, finds, lists and ends the sign-ins of people, one per browser. */
import { Owner, type Role } from '../../entities/owner.ts';
import { SignIn } from '../../entities/sign-in.ts';
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Context } from '../context.ts';
import { hashSecret } from '../secrets.ts';
import { isUseStale } from '../keys/last-used.ts';

/** The person who is signed in. */
export interface SignedInPerson {
  readonly ownerId: string;
  readonly accountId: string;
  readonly email: string;
  readonly role: Role;
  readonly signInId: string;
}

export interface NewSignIn {
  readonly id: string;
  /** The secret for the browser. */
  readonly secret: string;
}

export interface SignInView {
  readonly id: string;
  readonly userAgent: string;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
}

const DAY_MS = 86_400_000;

/** A sign-in expires after this time without use. */
const UNUSED_MS = 14 * DAY_MS;

/** A sign-in expires after this time even when it is used. */
export const LONGEST_SIGN_IN_MS = 90 * DAY_MS;

const USER_AGENT_LENGTH = 200;

export async function beginSignIn(
  context: Context,
  ownerId: string,
  userAgent: string,
  em: SqlEntityManager = context.db.em(),
): Promise<NewSignIn> {
  const id = context.random.uuid();
  const secret = context.random.bytes(32).toString('base64url');
  const now = context.clock.now();
  await em.insert(SignIn, {
    id,
    ownerId,
    secretHash: hashSecret(secret),
    // PostgreSQL cannot store the character 0.
    userAgent: userAgent.replaceAll('\0', '').slice(0, USER_AGENT_LENGTH),
    createdAt: now,
    lastSeenAt: now,
    expiresAt: new Date(now.getTime() + UNUSED_MS),
  });
  return { id, secret };
}

/** Finds the person for a browser's secret, and records the use of the sign-in. */
export async function findSignIn(context: Context, secret: string): Promise<SignedInPerson | null> {
  const now = context.clock.now();
  const em = context.db.em();
  const signIn = await em.findOne(SignIn, { secretHash: hashSecret(secret), expiresAt: { $gt: now } });
  if (signIn === null) return null;
  const owner = await em.findOne(Owner, { id: signIn.ownerId });
  if (owner === null) return null;
  if (isUseStale(signIn.lastSeenAt, now)) await keepAlive(context, signIn, now);
  const { id: ownerId, accountId, email, role } = owner;
  return { ownerId, accountId, email, role, signInId: signIn.id };
}

async function keepAlive(context: Context, { id, createdAt }: SignIn, now: Date): Promise<void> {
  const end = Math.min(now.getTime() + UNUSED_MS, createdAt.getTime() + LONGEST_SIGN_IN_MS);
  await context.db.em().nativeUpdate(SignIn, { id }, { lastSeenAt: now, expiresAt: new Date(end) });
}

/** Newest first. */
export async function listSignIns(context: Context, { ownerId }: SignedInPerson): Promise<SignInView[]> {
  const open = { ownerId, expiresAt: { $gt: context.clock.now() } };
  return context.db.em().find(SignIn, open, { orderBy: { id: 'desc' } });
}

/**
 * Ends one of a person's sign-ins; those of other people are not changed.
 *
 * @returns whether it existed
 */
export async function endSignIn(em: SqlEntityManager, ownerId: string, id: string): Promise<boolean> {
  return (await em.nativeDelete(SignIn, { id, ownerId })) > 0;
}

/** @param exceptId the sign-in that stays; null for none */
export async function endSignIns(em: SqlEntityManager, ownerId: string, exceptId: string | null): Promise<void> {
  await em.nativeDelete(SignIn, { ownerId, ...(exceptId !== null && { id: { $ne: exceptId } }) });
}
