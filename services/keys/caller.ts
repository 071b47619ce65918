/** Who is calling: what a key, an access token or a sign-in stands for once it has been checked. */
import type { Scope } from './scopes.ts';

/** Who did something, as the audit tells it. */
export interface Actor {
  readonly kind: 'key' | 'oauth_client' | 'person' | 'customer' | 'operator';
  /** Of the API key, the OAuth client, the owner or the connect session; `operator` for the operator. */
  readonly id: string;
  /** Name of the key or of the client, address of the person, name of the customer's profile. */
  readonly name: string;
}

export interface Caller {
  readonly accountId: string;
  /** Id of the API key, of the OAuth grant or of the owner, which its requests are counted under. */
  readonly keyId: string;
  /** The one profile the caller reaches; null when it reaches the whole account. */
  readonly profileId: string | null;
  /** A test caller reaches sandbox connections only and makes test-mode posts. */
  readonly mode: 'live' | 'test';
  /** What an access token is limited to; null for a key, which may do whatever its kind may, and for the owner. */
  readonly scopes: ReadonlySet<Scope> | null;
  readonly actor: Actor;
}
