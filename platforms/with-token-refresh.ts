/**
 * Calls a platform with a stored credential that expires. Renews it before expiry, and once more if the platform
 * refuses it.
 */
import { type CredentialRenewal, PlatformFailure, type PlatformIo, type Session } from './contract.ts';
import { isProxyPage, type PlatformAnswer, withoutPublishing } from './http.ts';

/** A call that works with any credential of the account. */
interface CredentialCall<Credential, Answer> {
  /** Makes the call. */
  make(credential: Credential): Promise<Answer>;
  /**
   * Whether the platform refused the credential without processing the call, so that a repeat cannot create a
   * second post.
   */
  isRefused(answer: Answer): boolean;
}

/**
 * @throws PlatformFailure what the call throws, or why a refused credential could not be renewed; `unavailable` when the renewal
 * lasted so long that the call was not made
 */
export async function callWithTokenRefresh<Credential, Answer>(
  session: Session<Credential>,
  io: PlatformIo,
  renewal: CredentialRenewal<Credential>,
  call: CredentialCall<Credential, Answer>,
): Promise<Answer> {
  const early = await renewedAhead(session, io, renewal);
  requireTime(io);
  const answer = await call.make(early ?? session.credential);
  if (early !== null || !call.isRefused(answer) || !renewal.canRenew(session.credential, io.apps)) return answer;
  const fresh = await renewedCredential(session, io, renewal);
  requireTime(io);
  return call.make(fresh);
}

/** {@link CredentialCall.isRefused} of platforms that answer an expired token with 401. A proxy may have passed the call on. */
export function isTokenRefused(answer: PlatformAnswer): boolean {
  return answer.status === 401 && !isProxyPage(answer);
}

/** A call that begins after its time limit would fail as if it had been sent. */
function requireTime({ signal }: PlatformIo): void {
  if (!signal.aborted) return;
  throw new PlatformFailure(
    'unavailable',
    'The access token was refreshed too slowly for this call; nothing was posted.',
  );
}

/** Null when it is too early, and when the renewal failed: the credential may still be valid. */
async function renewedAhead<Credential>(
  session: Session<Credential>,
  io: PlatformIo,
  renewal: CredentialRenewal<Credential>,
): Promise<Credential | null> {
  if (!isRenewalDue(session, io, renewal)) return null;
  try {
    return await renewedCredential(session, io, renewal);
  } catch (error) {
    if (error instanceof PlatformFailure) return null;
    throw error;
  }
}

/** Whether the credential can be renewed, and is to be by now. */
export function isRenewalDue<Credential>(
  { credential }: Session<Credential>,
  io: Pick<PlatformIo, 'apps' | 'now'>,
  renewal: CredentialRenewal<Credential>,
): boolean {
  if (!renewal.canRenew(credential, io.apps)) return false;
  const dueAt = renewal.dueAt(credential);
  return dueAt !== null && dueAt <= io.now();
}

/** Renews the credential, within the time limit of a refresh. */
export function renewedCredential<Credential>(
  session: Session<Credential>,
  io: PlatformIo,
  renewal: CredentialRenewal<Credential>,
): Promise<Credential> {
  return withoutPublishing(() => session.renew((stale, signal) => renewal.renew(stale, { ...io, signal })));
}
