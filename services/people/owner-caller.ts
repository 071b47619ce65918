/** The owner of an account as a caller: an owner who is signed in reaches the whole account, in live mode. */
import type { Owner } from '../../entities/owner.ts';
import type { Actor, Caller } from '../keys/caller.ts';
import type { SignedInPerson } from './sign-ins.ts';

/** The identity of an owner. */
export type OwnerIdentity = Pick<SignedInPerson, 'ownerId' | 'accountId' | 'email'>;

export function ownerIdentity({ id, accountId, email }: Owner): OwnerIdentity {
  return { ownerId: id, accountId, email };
}

export function ownerActor({ ownerId, email }: OwnerIdentity): Actor {
  return { kind: 'person', id: ownerId, name: email };
}

/** Rate limits count by owner and not by sign-in, so that signing in again does not reset the limit. */
export function ownerCaller(owner: OwnerIdentity): Caller {
  const { accountId, ownerId } = owner;
  return { accountId, keyId: ownerId, profileId: null, mode: 'live', scopes: null, actor: ownerActor(owner) };
}
