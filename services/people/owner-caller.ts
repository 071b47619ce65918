/** The owner of an account as one who calls: whoever is signed in reaches all of the account, live. */
import type { Owner } from '../../entities/owner.ts';
import type { Actor, Caller } from '../keys/caller.ts';
import type { SignedInPerson } from './sign-ins.ts';

/** Who an owner is. */
export type OwnerIdentity = Pick<SignedInPerson, 'ownerId' | 'accountId' | 'email'>;

export function ownerIdentity({ id, accountId, email }: Owner): OwnerIdentity {
  return { ownerId: id, accountId, email };
}

export function ownerActor({ ownerId, email }: OwnerIdentity): Actor {
  return { kind: 'person', id: ownerId, name: email };
}

/** Counted by the owner and not by the sign-in, so that signing in again is no way round the rate. */
export function ownerCaller(owner: OwnerIdentity): Caller {
  const { accountId, ownerId } = owner;
  return { accountId, keyId: ownerId, profileId: null, mode: 'live', scopes: null, actor: ownerActor(owner) };
}
