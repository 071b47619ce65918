/** Who is calling: what a key, an access token or a sign-in stands for once it has been checked. */
import type { Limits } from './limits.ts';

/** Who did something, as the audit tells it. */
export interface Actor {
  readonly kind: 'key' | 'oauth_client' | 'person' | 'customer' | 'operator';
  /** Of the API key, the OAuth client, the owner or the connect session; `operator` for the operator. */
  readonly id: string;
  /** Name of the key or of the client, address of the person, name of the customer's profile. */
  readonly name: string;
}

/** Its limits, `scopes` among them, are those of the key or the grant; an owner has none. */
export interface Caller extends Limits {
  readonly accountId: string;
  /** Id of the API key, of the OAuth grant or of the owner, which its requests are counted under. */
  readonly keyId: string;
  readonly actor: Actor;
}
