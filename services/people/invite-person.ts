/**
 * Invites a person to the account, with a role: creates a link that works once. Its secret is not stored, so it is shown
 * to the owner, and mailed if a mail server is configured. A new invitation for an address replaces the earlier one.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { OwnerLink } from '../../entities/owner-link.ts';
import { Owner, type Role } from '../../entities/owner.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { recordChange } from '../audit/record-change.ts';
import type { Context } from '../context.ts';
import { hashSecret } from '../secrets.ts';
import { confirmPassword, holdConfirmed } from './confirm-password.ts';
import { emailAddress } from './email-address.ts';
import { lockPeopleAsOwner, refuseAbovePeopleLimit } from './lock-people.ts';
import { type MailOutcome, mailInvitation } from './mail-invitation.ts';
import { aboutInvitation, ownerChange, type Visit } from './owner-change.ts';
import { setUpUrl } from './owner-links.ts';
import type { SignedInPerson } from './sign-ins.ts';

/** How long an invitation is valid. */
const INVITATION_MS = 7 * 86_400_000;

export interface InvitationInput {
  /** As typed. */
  readonly email: string;
  readonly role: Role;
  /** Password of the owner who invites. */
  readonly password: string;
}

export interface InvitationView {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export interface NewInvitation {
  readonly invitation: InvitationView;
  /** The link, shown once. */
  readonly url: string;
  readonly mail: MailOutcome;
}

/** @throws ServiceError invalid_request, forbidden, email_taken, limit_exceeded, too many requests */
export async function invitePerson(
  context: Context,
  person: SignedInPerson,
  { email: typed, role, password }: InvitationInput,
  visit: Visit,
): Promise<NewInvitation> {
  const email = emailAddress(typed);
  if (email === null) throw new ServiceError('invalid_request', `email: ${typed} is not an email address.`);
  const passwordHash = await confirmPassword(context, person, password, visit);
  const secret = context.random.bytes(32).toString('base64url');
  const invitation = await context.db
    .em()
    .transactional((em: SqlEntityManager) =>
      storeInvitation(context, em, { person, passwordHash, email, role, secret, visit }),
    );
  const url = setUpUrl(context, secret);
  return { invitation, url, mail: await mailInvitation(context, { ...invitation, url, from: person.email }) };
}

interface StoredInvitation extends Pick<InvitationView, 'email' | 'role'> {
  readonly person: SignedInPerson;
  readonly passwordHash: string;
  readonly secret: string;
  readonly visit: Visit;
}

async function storeInvitation(
  context: Context,
  em: SqlEntityManager,
  { person, passwordHash, email, role, secret, visit }: StoredInvitation,
): Promise<InvitationView> {
  const { accountId, ownerId: invitedBy } = person;
  await lockPeopleAsOwner(em, person);
  await holdConfirmed(em, person, passwordHash);
  await refuseKnownEmail(em, email, accountId);
  await em.nativeDelete(OwnerLink, { accountId, email });
  await refuseAbovePeopleLimit(context, em, accountId);
  const createdAt = context.clock.now();
  const expiresAt = new Date(createdAt.getTime() + INVITATION_MS);
  const invitation = { id: context.random.uuid(), email, role, createdAt, expiresAt };
  await em.insert(OwnerLink, { ...invitation, accountId, secretHash: hashSecret(secret), ownerId: null, invitedBy });
  const act = { operation: 'people.invite', outcome: 'ok', object: aboutInvitation(invitation.id) } as const;
  await recordChange(context, ownerChange(person, visit, act), em);
  return invitation;
}

async function refuseKnownEmail(em: SqlEntityManager, email: string, accountId: string): Promise<void> {
  const known = await em.findOne(Owner, { email });
  if (known === null) return;
  const place = known.accountId === accountId ? 'this account' : 'another account of this install';
  throw new ServiceError('email_taken', `email: ${email} already signs in to ${place}.`);
}
