/** Calls a platform with a stored login that ends: renewed ahead of its end, and once more when the platform refuses it. */
import { type LoginRenewal, PlatformFailure, type PlatformIo, type Session } from './contract.ts';
import { withoutPublishing } from './http.ts';

/** A call that can be made with any login of the account. */
interface LoginCall<Login, Answer> {
  /** Makes the call. */
  make(login: Login): Promise<Answer>;
  /** Whether the platform refused the login without reading the call, so that making it again cannot make a second post. */
  isRefused(answer: Answer): boolean;
}

/** @throws PlatformFailure what the call throws, and why a login that was refused could not be renewed */
export async function callRenewing<Login, Answer>(
  session: Session<Login>,
  io: PlatformIo,
  renewal: LoginRenewal<Login>,
  call: LoginCall<Login, Answer>,
): Promise<Answer> {
  const early = await renewedAhead(session, io, renewal);
  const answer = await call.make(early ?? session.credential);
  if (early !== null || !call.isRefused(answer) || !renewal.canRenew(session.credential, io.apps)) return answer;
  return call.make(await renewed(session, io, renewal));
}

/** Null when it is not time yet, and when it did not work: then the login may still be taken. */
async function renewedAhead<Login>(
  session: Session<Login>,
  io: PlatformIo,
  renewal: LoginRenewal<Login>,
): Promise<Login | null> {
  if (!renewal.canRenew(session.credential, io.apps)) return null;
  const dueAt = renewal.dueAt(session.credential);
  if (dueAt === null || dueAt > io.now()) return null;
  try {
    return await renewed(session, io, renewal);
  } catch (error) {
    if (error instanceof PlatformFailure) return null;
    throw error;
  }
}

function renewed<Login>(session: Session<Login>, io: PlatformIo, renewal: LoginRenewal<Login>): Promise<Login> {
  return withoutPublishing(() => session.renew((stale) => renewal.renew(stale, io)));
}
