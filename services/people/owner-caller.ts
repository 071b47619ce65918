/** A signed-in person as a caller: reaches the whole account in live mode, within the scopes of the person's role. */
import type { Owner } from '../../entities/owner.ts';
import type { Actor, Caller } from '../access/caller.ts';
import { ROLE_SCOPES } from '../access/roles.ts';
import type { SignedInPerson } from './sign-ins.ts';

/** The identity of a person. */
export type OwnerIdentity = Pick<SignedInPerson, 'ownerId' | 'accountId' | 'email'>;

export function ownerIdentity({ id, accountId, email }: Owner): OwnerIdentity {
  return { ownerId: id, accountId, email };
}

export function ownerActor({ ownerId, email }: OwnerIdentity): Actor {
  return { kind: 'person', id: ownerId, name: email };
}

/** Rate limits count by person and not by sign-in, so that signing in again does not reset the limit. */
export function ownerCaller(person: OwnerIdentity & Pick<SignedInPerson, 'role'>): Caller {
  const { accountId, ownerId: keyId, role } = person;
  const limits = {
    profileId: null,
    mode: 'live',
    scopes: ROLE_SCOPES[role],
    approval: 'none',
    policyId: null,
  } as const;
  return { accountId, keyId, ...limits, role, actor: ownerActor(person) };
}
