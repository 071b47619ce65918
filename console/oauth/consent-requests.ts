/** The authorization server functions that the consent pages need, injected on mounting. */
import type { Request, Response } from 'express';
import type { Limits } from '../../services/access/limits.ts';
import type { Role } from '../../services/access/roles.ts';
import type { Scope } from '../../services/access/scopes.ts';

/** What a client asked for when it sent the user here, as stored then. */
export interface PendingRequest {
  readonly clientId: string;
  /** The redirect URI for the response. */
  readonly redirectUri: string;
  readonly scopes: readonly Scope[];
  /** Whether it asks for the API and not, or not only, for /mcp. */
  readonly asksForApi: boolean;
}

/** A client that waits for a user's decision. */
export interface ConsentRequest extends PendingRequest {
  /** The client's name for itself, sanitized; it is not verified. */
  readonly clientName: string;
}

/** The user who consents, and the granted limits. */
export interface Consent {
  readonly accountId: string;
  readonly ownerId: string;
  readonly email: string;
  /** Limits what the client is granted. */
  readonly role: Role;
  /** The only profile that the client can access; null for the whole account. */
  readonly profileId: string | null;
  readonly mode: 'live' | 'test';
  /** Whether what the client wants to send waits for a person. */
  readonly approval: Limits['approval'];
}

/** Where the browser goes after an answer, or why the answer counts for nothing. */
export type Outcome = { readonly to: string } | { readonly to: null; readonly why: 'answered already' | 'no client' };

export interface ConsentRequests {
  /** Returns the request with this id; null when this browser did not start it, or it has expired. */
  find(request: Request, response: Response, uid: string): Promise<PendingRequest | null>;
  /**
   * Adds what the page shows of the client; null when the client no longer exists.
   *
   * @throws ServiceError when the client's metadata document cannot be read again
   */
  withClient(request: Request, pending: PendingRequest): Promise<ConsentRequest | null>;
  /**
   * A second answer, after the client got the first, finds no request.
   *
   * @throws ServiceError when the client's metadata document cannot be read again
   */
  allow(request: Request, response: Response, consent: Consent): Promise<Outcome>;
  /** Needs nothing of the client, so it works while its metadata document cannot be read. */
  deny(
    request: Request,
    response: Response,
    person: Pick<Consent, 'accountId' | 'ownerId' | 'email' | 'role'>,
  ): Promise<Outcome>;
}

/** Host of a redirect URI; the scheme if a native app's URI has no host. */
export function redirectHost(redirectUri: string): string {
  const { host, protocol } = new URL(redirectUri);
  return protocol === 'https:' || protocol === 'http:' ? host : protocol;
}
