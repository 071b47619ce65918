/** The authenticated caller behind a key, an access token or a sign-in. */
import type { Role } from '../../entities/owner.ts';
import type { Limits } from './limits.ts';

/** The actor of a change, as the audit log names it. */
export interface Actor {
  readonly kind: 'key' | 'oauth_client' | 'person' | 'customer' | 'operator';
  /** Id of the API key, OAuth client, owner or connect session; `operator` for the operator. */
  readonly id: string;
  /** Name of the key or client, email address of the owner, or name of the customer's profile. */
  readonly name: string;
}

/** Its limits, including `scopes`, are those of the key, the grant or the person's role. */
export interface Caller extends Limits {
  readonly accountId: string;
  /** Id of the API key, OAuth grant or person that requests are rate-limited by. */
  readonly keyId: string;
  readonly actor: Actor;
  /** Role of the signed-in person; absent for keys and access tokens. */
  readonly role?: Role;
  /** Role of the person who allowed the agent; absent for all but access tokens. */
  readonly allowedByRole?: Role;
}
