/**
 * Handles the customer's return from the platform's authorization page: exchanges the answer for access to an account.
 */
import type { ConnectSession } from '../../entities/connect-session.ts';
import { PlatformFailure } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';
import { offeredPlatforms, pageOf } from './connectable-platforms.ts';
import { customerMessage } from './customer-message.ts';
import { leaveSession } from './end-session.ts';
import { type Flow, storeFlow, readFlow, takeFlow } from './flow.ts';
import { callbackUrl, oauthIo } from './oauth-io.ts';
import type { Outcome } from './outcome.ts';
import { sameSecret } from '../secrets.ts';
import { linkGranted, refuse } from './try-credentials.ts';

/**
 * @param platformId platform whose callback address was called
 * @returns null when the session does not expect this answer; nothing changes then
 */
export async function finishOauth(
  context: Context,
  session: ConnectSession,
  platformId: string,
  answer: URLSearchParams,
): Promise<Outcome | null> {
  const flow = readFlow(context, session);
  if (flow?.step !== 'away' || flow.platformId !== platformId) return null;
  if (!sameSecret(answer.get('state') ?? '', flow.state)) return null;
  if (!(await takeFlow(context, session))) return null;
  if (isCancel(context, session, platformId, answer.get('error'))) {
    await leaveSession(context, session);
    return { kind: 'ended' };
  }
  const outcome = await exchange(context, session, flow, answer);
  if (outcome.kind === 'refused') {
    // The message is shown on the session's own page, because the callback address works only once.
    await storeFlow(context, session, { step: 'refused', platformId, message: outcome.message });
  }
  return outcome;
}

/** OAuth error codes for a denial by the customer; some platforms add their own. */
const CANCEL_ERRORS = ['access_denied'];

function isCancel(context: Context, session: ConnectSession, platformId: string, error: string | null): boolean {
  const offered = offeredPlatforms(context, session).find(({ platform }) => platform.id === platformId);
  return error !== null && ((offered && pageOf(offered))?.cancelErrors ?? CANCEL_ERRORS).includes(error);
}

async function exchange(
  context: Context,
  session: ConnectSession,
  { platformId, state, verifier, memo }: Extract<Flow, { step: 'away' }>,
  answer: URLSearchParams,
): Promise<Outcome> {
  const offered = offeredPlatforms(context, session).find(({ platform }) => platform.id === platformId);
  const page = offered && pageOf(offered);
  if (offered === undefined || page === undefined)
    return refuse(context, session, 'This platform can no longer be connected here.');
  try {
    const request = { redirectUri: callbackUrl(context, platformId), state, verifier };
    const accounts = await page.finish(answer, request, memo, oauthIo(context, platformId));
    const [first, second] = accounts;
    if (first === undefined) return await refuse(context, session, `${offered.platform.name} returned no account.`);
    if (second === undefined) return await linkGranted(context, session, offered, first);
    await storeFlow(context, session, { step: 'choose', platformId, accounts });
    return { kind: 'choose' };
  } catch (error) {
    if (!(error instanceof PlatformFailure)) throw error;
    return refuse(context, session, customerMessage(error));
  }
}
