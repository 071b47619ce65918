/** What owners do about their sign-in and the keys of their account, as the audit of their account tells it. */
import type { AuditObject, AuditOutcome, Change } from '../audit/store-entries.ts';
import { ownerActor, type OwnerIdentity } from './owner-caller.ts';

/** What is kept of a request of a person. */
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
    | 'keys.revoke';
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

export function aboutPasskey(id: string): AuditObject {
  return { type: 'passkey', ids: [id] };
}
