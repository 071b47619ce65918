/** Builds the audit entries for changes that owners make to their sign-in and the keys of their account. */
import type { AuditObject, AuditOutcome, Change } from '../audit/store-entries.ts';
import { ownerActor, type OwnerIdentity } from './owner-caller.ts';

/** The stored properties of a person's request. */
export interface Visit {
  readonly ip: string;
  readonly userAgent: string;
  readonly requestId: string;
}

export interface OwnerAct {
  readonly operation:
    | 'owner.setUp'
    | 'owner.signIn'
    | 'owner.signOut'
    | 'owner.endSignIn'
    | 'owner.changePassword'
    | 'owner.addPasskey'
    | 'owner.removePasskey'
    | 'keys.create'
    | 'keys.revoke'
    // Changes of the people of the account.
    | `people.${string}`;
  readonly outcome: AuditOutcome;
  readonly object: AuditObject | null;
}

export function ownerChange(
  owner: OwnerIdentity,
  { requestId }: Pick<Visit, 'requestId'>,
  act: OwnerAct,
): Change & { readonly outcome: AuditOutcome } {
  const { accountId } = owner;
  return { accountId, actor: ownerActor(owner), surface: 'console', mode: 'live', profileId: null, requestId, ...act };
}

export function aboutSignIn(id: string): AuditObject {
  return { type: 'sign_in', ids: [id] };
}

export function aboutOwner({ ownerId }: Pick<OwnerIdentity, 'ownerId'>): AuditObject {
  return { type: 'owner', ids: [ownerId] };
}

/** @param id of a person of the account */
export function aboutPerson(id: string): AuditObject {
  return { type: 'person', ids: [id] };
}

export function aboutInvitation(id: string): AuditObject {
  return { type: 'invitation', ids: [id] };
}

export function aboutPasskey(id: string): AuditObject {
  return { type: 'passkey', ids: [id] };
}
