/** What the pages of consent need of the authorization server, handed in by whoever mounts them. */
import type { Request, Response } from 'express';
import type { Scope } from '../../services/keys/scopes.ts';

/** A client that waits for a person's word. */
export interface ConsentRequest {
  readonly clientId: string;
  /** As the client calls itself, made plain; whoever reads it must not take it for a fact. */
  readonly clientName: string;
  /** Where the answer goes. */
  readonly redirectUri: string;
  readonly scopes: readonly Scope[];
}

/** Who agrees, and within which bounds. */
export interface Consent {
  readonly accountId: string;
  readonly ownerId: string;
  readonly email: string;
  /** The one profile the client reaches; null reaches the whole account. */
  readonly profileId: string | null;
  readonly mode: 'live' | 'test';
}

export interface ConsentRequests {
  /** The request with this id; null when this browser did not bring it, or it has ended. */
  find(request: Request, response: Response, uid: string): Promise<ConsentRequest | null>;
  /** @returns where the browser goes on */
  allow(request: Request, response: Response, consent: Consent): Promise<string>;
  deny(request: Request, response: Response, person: Pick<Consent, 'accountId' | 'ownerId' | 'email'>): Promise<string>;
}

/** Host that an answer goes to; the scheme of a program that has none. */
export function redirectHost(redirectUri: string): string {
  const { host, protocol } = new URL(redirectUri);
  return protocol === 'https:' || protocol === 'http:' ? host : protocol;
}
