/** The credential of a Threads account, valid for sixty days, and calls to Threads' own Graph API with it. */
import { z } from 'zod';
import { CONTAINER_SUBCODES, type ContainerApi } from '../meta/container-api.ts';
import { type CredentialRenewal, PlatformFailure, type PlatformIo, type Session } from '../contract.ts';
import { callGraph, type GraphAnswer, type GraphCall, graphFailures } from '../meta/graph.ts';
import { stringField } from '../http.ts';
import { dueBefore, endOf, expiryOf } from '../oauth-credential.ts';
import { callWithTokenRefresh } from '../with-token-refresh.ts';

/** Version of graph.threads.net. */
export const API_VERSION = 'v1.0';

/** The credential that is stored, encrypted, for a connection. */
export interface ThreadsCredential {
  readonly accessToken: string;
  /** ISO instant at which the access token expires; null when unknown. */
  readonly expiresAt: string | null;
}

const TokenAnswer = z.object({ access_token: z.string().min(1), expires_in: z.number().positive() });

/** How long before expiry a credential is renewed. Renewal is possible from one day of age until expiry. */
const AHEAD_MS = 10 * 86_400_000;

export const renewal: CredentialRenewal<ThreadsCredential> = {
  // A renewal needs nothing but the credential itself.
  canRenew: ({ expiresAt }) => expiresAt !== null,
  dueAt: (credential) => dueBefore(credential, AHEAD_MS),
  endsAt: endOf,
  renew: renewCredential,
};

async function renewCredential({ accessToken }: ThreadsCredential, io: PlatformIo): Promise<ThreadsCredential> {
  try {
    return await longLived(io, 'refresh_access_token', { grant_type: 'th_refresh_token' }, accessToken);
  } catch (error) {
    if (!(error instanceof PlatformFailure) || error.kind === 'reconnect') throw error;
    // A temporary refusal, for instance because the credential is less than a day old.
    throw new PlatformFailure('unavailable', error.message, { cause: error });
  }
}

/** Calls `path` under the versioned API root. Ids in it must be URL-encoded. */
export function callThreads(io: PlatformIo, accessToken: string, path: string, call?: GraphCall): Promise<GraphAnswer> {
  return callGraph(io, accessToken, `${io.endpoints.THREADS_API_URL}/${API_VERSION}/${path}`, call);
}

/**
 * Exchanges a valid token for one that is valid for sixty days.
 *
 * @see https://developers.facebook.com/docs/threads/get-started/long-lived-tokens/
 */
export async function longLived(
  io: PlatformIo,
  path: 'access_token' | 'refresh_access_token',
  parameters: Readonly<Record<string, string>>,
  accessToken: string,
): Promise<ThreadsCredential> {
  const query = { ...parameters, access_token: accessToken };
  const answer = await callGraph(io, null, `${io.endpoints.THREADS_API_URL}/${path}`, { query });
  if (answer.status !== 200) throw failure(answer);
  const token = TokenAnswer.safeParse(answer.body);
  if (!token.success) throw new PlatformFailure('unavailable', 'Threads answered without a token; nothing was posted.');
  const { access_token: renewed, expires_in: seconds } = token.data;
  return { accessToken: renewed, expiresAt: expiryOf(seconds, io.now()) };
}

const publishing = graphFailures({ name: 'Threads', subcodes: CONTAINER_SUBCODES });
const others = graphFailures({ name: 'Threads' });

/** Returns the failure for a response other than 200 to a publishing call. */
export function failure(answer: GraphAnswer): PlatformFailure {
  // The login endpoints use another error format.
  const words = answer.error === null ? stringField(answer.body, 'error_message') : undefined;
  if (words === undefined || answer.status >= 500) {
    return publishing.failure(answer);
  }
  return others.failure({ ...answer, error: { code: 100, message: words } });
}

/** @see https://developers.facebook.com/docs/threads/posts/ */
export function containersOf(session: Session<ThreadsCredential>, io: PlatformIo): ContainerApi {
  return {
    name: 'Threads',
    account: 'me',
    posts: 'threads',
    publish: 'threads_publish',
    text: 'text',
    state: { field: 'status', problem: 'error_message' },
    oneImage: { media_type: 'IMAGE' },
    call: (path, call) =>
      callWithTokenRefresh(session, io, renewal, {
        make: ({ accessToken }) => callThreads(io, accessToken, path, call),
        // A refused credential can no longer be renewed.
        isRefused: () => false,
      }),
    failure,
  };
}
