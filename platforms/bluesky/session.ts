/** The login of a Bluesky account: made with an app password or on its server's page, kept alive with its refresh token. */
import { z } from 'zod';
import { type LoginRenewal, PlatformFailure, type PlatformIo, type Session } from '../contract.ts';
import type { PlatformAnswer } from '../http.ts';
import { callRenewing } from '../renewing.ts';
import { boundFetch } from './dpop.ts';
import { type OauthLogin, renewOauthLogin } from './oauth-login.ts';
import { command, type CommandBody, errorName, failure, failureKind, reason } from './api.ts';

/** What is stored, encrypted, for a connection: with an app password, or by the page of the account's own server. */
export type BlueskyLogin = PasswordLogin | OauthLogin;

/** One that was made with an app password. */
export interface PasswordLogin {
  /** Origin where the account logs in: an entryway such as https://bsky.social, or its own server. */
  readonly service: string;
  /** Origin of the server that keeps the account's posts. */
  readonly pds: string;
  /** Handle or e-mail address, as given. */
  readonly identifier: string;
  readonly appPassword: string;
  /** Taken for about two hours. */
  readonly accessJwt: string;
  /** Taken once, for about ninety days. */
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

/** What is read of a token. It is not checked: the server does that. */
const Claims = z.object({ exp: z.number() });

const DidDocument = z.object({
  service: z.array(z.object({ id: z.string(), serviceEndpoint: z.unknown().optional() })),
});

type Password = Pick<PasswordLogin, 'service' | 'identifier' | 'appPassword'>;

/** An account that has just logged in. */
export interface LoggedIn {
  readonly did: string;
  readonly handle: string;
  readonly login: PasswordLogin;
}

/**
 * Logs in with the app password. Servers allow 300 of these a day, so it is done on connecting and
 * when the refresh token is dead, never for each post.
 *
 * @throws PlatformFailure `reconnect` when the password or the account is refused
 */
export async function logIn(io: PlatformIo, password: Password): Promise<LoggedIn> {
  const input = { identifier: password.identifier, password: password.appPassword };
  const answer = await command(io, password.service, 'com.atproto.server.createSession', { input });
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

/** How long before its end an access token is renewed, so that it does not end on the way. */
const MARGIN_MS = 5 * 60_000;

export const renewal: LoginRenewal<BlueskyLogin> = {
  canRenew: (login) => !isOauth(login) || login.refreshToken !== null,
  dueAt: (login) => {
    const endsAt = isOauth(login) ? Date.parse(login.expiresAt ?? '') : endOf(login.accessJwt);
    return endsAt === null || Number.isNaN(endsAt) ? null : new Date(endsAt - MARGIN_MS);
  },
  renew: (stale, io) => (isOauth(stale) ? renewOauthLogin(stale, io) : renewPasswordLogin(stale, io)),
};

/** Calls with the stored login, renewed where it has to be. Servers refuse a token that has ended without reading the call. */
export function commandLoggedIn(
  session: Session<BlueskyLogin>,
  io: PlatformIo,
  method: string,
  body: CommandBody,
): Promise<PlatformAnswer> {
  return callRenewing(session, io, renewal, {
    make: (login) => {
      if (!isOauth(login)) return command(io, login.pds, method, { token: login.accessJwt, ...body });
      const fetch = boundFetch(io, login.accessToken, login.boundTo);
      return command({ ...io, fetch }, login.pds, method, body);
    },
    // A 403 forbids the call to any token of the account: a new one would change nothing.
    isRefused: (answer) => ![200, 403].includes(answer.status) && failureKind(answer) === 'reconnect',
  });
}

function isOauth(login: BlueskyLogin): login is OauthLogin {
  return 'boundTo' in login;
}

/** When a token ends, in milliseconds since 1970, as it says itself; null when it does not. */
function endOf(jwt: string): number | null {
  try {
    const claims = Claims.parse(JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()));
    return claims.exp * 1_000;
  } catch {
    return null;
  }
}

/** A new login for one that is no longer taken: by its refresh token, and when that is dead too, by the password. */
async function renewPasswordLogin(stale: PasswordLogin, io: PlatformIo): Promise<PasswordLogin> {
  const answer = await command(io, stale.service, 'com.atproto.server.refreshSession', { token: stale.refreshJwt });
  if (answer.status === 200) return loggedIn(answer, stale).login;
  const kind = failureKind(answer);
  if (kind === 'unavailable' || kind === 'unknown') throw failure(answer);
  return (await logIn(io, stale)).login;
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
    login: { service, pds: homeServer(service, didDoc), identifier, appPassword, accessJwt, refreshJwt },
  };
}

/**
 * Origin of the account's own server as its identity document names it, where that is https. A service
 * reached over plain http is a server the operator runs beside this one, never an entryway, and its
 * identity documents may name an address that is not reachable from here: it serves its own accounts.
 */
function homeServer(service: string, didDoc: unknown): string {
  const document = DidDocument.safeParse(didDoc);
  if (!document.success || service.startsWith('http:')) return service;
  const entry = document.data.service.find(({ id }) => id.endsWith('#atproto_pds'));
  const url = typeof entry?.serviceEndpoint === 'string' ? URL.parse(entry.serviceEndpoint) : null;
  return url?.protocol === 'https:' ? url.origin : service;
}
