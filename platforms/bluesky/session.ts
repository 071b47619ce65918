/** The login of a Bluesky account: made with an app password, kept alive with its refresh token. */
import { z } from 'zod';
import { PlatformFailure, type PlatformIo, type Session } from '../contract.ts';
import { type PlatformAnswer, withoutPublishing } from '../http.ts';
import { command, type CommandBody, errorName, failure, failureKind, reason } from './api.ts';

/** What is stored, encrypted, for a connection. */
export interface BlueskyLogin {
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

const DidDocument = z.object({
  service: z.array(z.object({ id: z.string(), serviceEndpoint: z.unknown().optional() })),
});

type Password = Pick<BlueskyLogin, 'service' | 'identifier' | 'appPassword'>;

/** An account that has just logged in. */
export interface LoggedIn {
  readonly did: string;
  readonly handle: string;
  readonly login: BlueskyLogin;
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

/**
 * Calls with the stored login. A login that has expired is renewed, then the call is made once more;
 * the first one was refused unread, so this cannot make a second post.
 */
export async function commandLoggedIn(
  session: Session<BlueskyLogin>,
  io: PlatformIo,
  method: string,
  body: CommandBody,
): Promise<PlatformAnswer> {
  const call = ({ pds, accessJwt }: BlueskyLogin) => command(io, pds, method, { token: accessJwt, ...body });
  const answer = await call(session.credential);
  if (answer.status === 200 || failureKind(answer) !== 'reconnect') return answer;
  return call(await withoutPublishing(() => session.renew((stale) => renewLogin(io, stale))));
}

/** A new login for one that is no longer taken: by its refresh token, and when that is dead too, by the password. */
async function renewLogin(io: PlatformIo, stale: BlueskyLogin): Promise<BlueskyLogin> {
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
