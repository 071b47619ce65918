/** The credential of a Bluesky account: made with an app password or by OAuth, and renewed with its refresh token. */
import { z } from 'zod';
import { type CredentialRenewal, PlatformFailure, type PlatformIo, type Session } from '../contract.ts';
import type { PlatformAnswer } from '../http.ts';
import { callWithTokenRefresh } from '../with-token-refresh.ts';
import { dueBefore, endOf, type TokenGrant } from '../oauth-credential.ts';
import { boundFetch } from './dpop.ts';
import { MARGIN_MS, type OauthCredential, oauthRenewal } from './oauth-credential.ts';
import { command, type CommandBody, errorName, failure, failureKind, reason } from './api.ts';

/** The credential that is stored, encrypted: made with an app password, or by OAuth on the account's own server. */
export type BlueskyCredential = PasswordCredential | OauthCredential;

/** A credential that was made with an app password. */
export interface PasswordCredential {
  /** Origin that handles login: an entryway such as https://bsky.social, or the account's own server. */
  readonly service: string;
  /** Origin of the server that stores the account's posts. */
  readonly pds: string;
  /** Handle or email address, as the customer gave it. */
  readonly identifier: string;
  readonly appPassword: string;
  /** Valid for about two hours. */
  readonly accessJwt: string;
  /** Valid for one use within about ninety days. */
  readonly refreshJwt: string;
}

const SessionAnswer = z.object({
  did: z.string(),
  handle: z.string(),
  accessJwt: z.string(),
  refreshJwt: z.string(),
  didDoc: z.unknown().optional(),
  active: z.boolean().optional(),
  status: z.string().optional(),
});

/** The claims that are read from a token. The server verifies the token, not this code. */
const Claims = z.object({ exp: z.number(), iat: z.number().optional() });

const DidDocument = z.object({
  service: z.array(z.object({ id: z.string(), serviceEndpoint: z.unknown().optional() })),
});

type Password = Pick<PasswordCredential, 'service' | 'identifier' | 'appPassword'>;

/** An account that has just logged in. */
export interface LoggedIn {
  readonly did: string;
  readonly handle: string;
  readonly credential: PasswordCredential;
}

/**
 * Logs in with the app password. Servers allow 300 logins a day. So this runs when an account connects and when
 * the refresh token is invalid, never for each post.
 *
 * @throws PlatformFailure `reconnect` when the server refuses the password or the account
 */
export async function logIn(io: PlatformIo, password: Password): Promise<LoggedIn> {
  return readLogin(await createSession(io, password), password);
}

function createSession(io: PlatformIo, { service, identifier, appPassword }: Password): Promise<PlatformAnswer> {
  const input = { identifier, password: appPassword };
  return command(io, service, 'com.atproto.server.createSession', { input });
}

function readLogin(answer: PlatformAnswer, password: Password): LoggedIn {
  if (answer.status === 200) return loggedIn(answer, password);
  if (errorName(answer) === 'AuthFactorTokenRequired') {
    throw new PlatformFailure(
      'reconnect',
      'Bluesky asks this account for a code by e-mail: give an app password instead.',
    );
  }
  if (failureKind(answer) !== 'rejected') throw failure(answer);
  throw new PlatformFailure('reconnect', `${new URL(password.service).host} refused the login: ${reason(answer)}`);
}

export const renewal: CredentialRenewal<BlueskyCredential> = {
  canRenew: (credential, apps) => !isOauth(credential) || oauthRenewal.canRenew(credential, apps),
  dueAt: (credential) => {
    if (isOauth(credential)) return oauthRenewal.dueAt(credential);
    return dueBefore(lifeOf(credential.accessJwt), MARGIN_MS);
  },
  endsAt: (credential) => endOf(isOauth(credential) ? credential : lifeOf(credential.accessJwt)),
  renew: (stale, io) => (isOauth(stale) ? oauthRenewal.renew(stale, io) : renewPasswordCredential(stale, io)),
};

/**
 * Calls with the stored credential and renews it when needed. Servers refuse an expired token without processing
 * the call.
 */
export function commandLoggedIn(
  session: Session<BlueskyCredential>,
  io: PlatformIo,
  method: string,
  body: CommandBody,
): Promise<PlatformAnswer> {
  return callWithTokenRefresh(session, io, renewal, {
    make: (credential) => {
      if (!isOauth(credential)) return command(io, credential.pds, method, { token: credential.accessJwt, ...body });
      const fetch = boundFetch(io, credential.accessToken, credential.boundTo);
      return command({ ...io, fetch }, credential.pds, method, body);
    },
    // A 403 refuses the call for any token of the account, so a new token would not help.
    isRefused: (answer) => ![200, 403].includes(answer.status) && failureKind(answer) === 'reconnect',
  });
}

function isOauth(credential: BlueskyCredential): credential is OauthCredential {
  return 'boundTo' in credential;
}

/** When a token was issued and expires by its own claims. */
function lifeOf(jwt: string): Pick<TokenGrant, 'expiresAt' | 'issuedAt'> {
  const instant = (seconds: number) => new Date(seconds * 1_000).toISOString();
  try {
    const { exp, iat } = Claims.parse(JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()));
    return { expiresAt: instant(exp), ...(iat !== undefined && { issuedAt: instant(iat) }) };
  } catch {
    return { expiresAt: null };
  }
}

/** Replaces an invalid credential: with its refresh token, or with the password if that token is invalid too. */
async function renewPasswordCredential(stale: PasswordCredential, io: PlatformIo): Promise<PasswordCredential> {
  const answer = await command(io, stale.service, 'com.atproto.server.refreshSession', { token: stale.refreshJwt });
  requireServer(answer, stale);
  if (answer.status === 200) return loggedIn(answer, stale).credential;
  const kind = failureKind(answer);
  if (kind === 'unavailable' || kind === 'unknown') throw failure(answer);
  const login = await createSession(io, stale);
  requireServer(login, stale);
  return readLogin(login, stale).credential;
}

/** The server of a stored credential is one of Bluesky, so a redirect, or a success without a session, comes from a proxy. */
function requireServer({ status, body }: PlatformAnswer, { service }: Password): void {
  if (status === 200 ? SessionAnswer.safeParse(body).success : status >= 400) return;
  const message = `${new URL(service).host} answered HTTP ${status}, but not as a Bluesky server.`;
  throw new PlatformFailure('unavailable', message);
}

function loggedIn(answer: PlatformAnswer, { service, identifier, appPassword }: Password): LoggedIn {
  const parsed = SessionAnswer.safeParse(answer.body);
  if (!parsed.success) {
    throw new PlatformFailure('reconnect', `${new URL(service).host} does not answer as a Bluesky server.`);
  }
  const { did, handle, accessJwt, refreshJwt, didDoc, active, status } = parsed.data;
  if (active === false) throw new PlatformFailure('reconnect', `This Bluesky account is ${status ?? 'not active'}.`);
  return {
    did,
    handle,
    credential: { service, pds: homeServer(service, didDoc), identifier, appPassword, accessJwt, refreshJwt },
  };
}

/**
 * Origin of the account's data server as its identity document names it, if that is https. A login server that is
 * reached over plain http belongs to the operator, runs beside this install and is never an entryway. Its
 * identity documents may name an address that this install cannot reach, so it serves its own accounts.
 */
function homeServer(service: string, didDoc: unknown): string {
  const document = DidDocument.safeParse(didDoc);
  if (!document.success || service.startsWith('http:')) return service;
  const entry = document.data.service.find(({ id }) => id.endsWith('#atproto_pds'));
  const url = typeof entry?.serviceEndpoint === 'string' ? URL.parse(entry.serviceEndpoint) : null;
  return url?.protocol === 'https:' ? url.origin : service;
}
