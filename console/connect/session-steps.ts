/** The steps of an open connect session: the page of each, and the action of its forms. */
import type { Response } from 'express';
import { chooseAccount } from '../../services/connect/choose-account.ts';
import { byAlternative, type HostedPlatform, offeredPlatforms } from '../../services/connect/connectable-platforms.ts';
import { leaveSession, returnAddress } from '../../services/connect/end-session.ts';
import type { FoundSession } from '../../services/connect/find-session.ts';
import { readFlow } from '../../services/connect/flow.ts';
import type { Outcome } from '../../services/connect/outcome.ts';
import { tryCredentials } from '../../services/connect/try-credentials.ts';
import type { Context } from '../../services/context.ts';
import { chooseView, formView, noticeView, pickView } from './connect-views.ts';
import { sendConnectPage } from './send-connect-page.ts';

type Session = Extract<FoundSession, { kind: 'open' }>['session'];

/** Redirects to a URL without changing it. */
export function redirect(response: Response, address: string): void {
  response.status(303).setHeader('location', address).end();
}

/** @param wanted platform that the customer selected; empty to select again, undefined to continue */
export async function showStep(
  context: Context,
  response: Response,
  session: Session,
  wanted: string | undefined,
): Promise<void> {
  const flow = readFlow(context, session);
  if (wanted === undefined && flow?.step === 'choose') {
    const main = chooseView(
      session.id,
      flow.accounts.map(({ label }) => label),
    );
    return sendConnectPage(context, response, { status: 200, title: 'Which one?', main, session });
  }
  const refused = wanted === undefined && flow?.step === 'refused' ? flow : null;
  const offered = offeredPlatforms(context, session);
  const platform = pickOf(offered, refused?.platformId ?? wanted, session);
  if (platform === undefined) return sendPick(context, response, session, offered);
  if (refused !== null) return sendForm(context, response, session, platform, {}, refused.message);
  if (goesStraight(platform))
    return showOutcome(context, response, session, await tryCredentials(context, session, platform, {}), platform);
  sendForm(context, response, session, platform, {}, null);
}

/** Form actions of a session. */
export async function handleStep(
  context: Context,
  response: Response,
  session: Session,
  step: string,
  fields: Readonly<Record<string, string>>,
): Promise<void> {
  const offered = offeredPlatforms(context, session);
  const named = offered.find(({ platform }) => platform.id === fields['platform']);
  if (step === 'cancel') {
    await leaveSession(context, session);
    return sendEnd(context, response, session);
  }
  if (step === 'choose') {
    const outcome = await chooseAccount(context, session, indexOf(fields['account']));
    if (outcome !== null) return showOutcome(context, response, session, outcome, named);
  }
  if (step === 'pick' && named !== undefined && !goesStraight(named)) {
    return redirect(response, `/connect/session/${session.id}?platform=${named.platform.id}`);
  }
  if ((step === 'pick' || step === 'connect') && named !== undefined) {
    return showOutcome(
      context,
      response,
      session,
      await tryCredentials(context, session, named, fields),
      named,
      fields,
    );
  }
  const alternative = step === 'alternative' && named !== undefined ? byAlternative(named) : undefined;
  if (alternative !== undefined) {
    const outcome = await tryCredentials(context, session, alternative, fields);
    return showOutcome(context, response, session, outcome, named, fields);
  }
  redirect(response, `/connect/session/${session.id}`);
}

/** @param platform the platform whose form is shown again, with the input, after a failure */
export async function showOutcome(
  context: Context,
  response: Response,
  session: Session,
  outcome: Outcome,
  platform?: HostedPlatform,
  typed: Readonly<Record<string, string>> = {},
): Promise<void> {
  if (outcome.kind === 'ended') return sendEnd(context, response, session);
  if (outcome.kind === 'away') return redirect(response, outcome.url);
  if (outcome.kind === 'choose' || platform === undefined) return redirect(response, `/connect/session/${session.id}`);
  sendForm(context, response, session, platform, typed, outcome.message);
}

/**
 * Redirects the customer to the return URL. @param as `page` for a link instead, because reopening a page should
 * not redirect
 */
export async function sendEnd(
  context: Context,
  response: Response,
  session: Session,
  as: 'redirect' | 'page' = 'redirect',
): Promise<void> {
  const address = await returnAddress(context, session.id);
  if (address !== null && as === 'redirect') return redirect(response, address);
  const title = address === null ? 'Too late' : 'Done';
  const main =
    address === null
      ? noticeView(title, 'This link was valid for fifteen minutes. Request a new one where you got it.')
      : noticeView(title, 'There is nothing more to do here.', { to: address, text: 'Go back to where you came from' });
  sendConnectPage(context, response, { status: 410, title, main, session });
}

/** Index of the selected account; -1 for invalid input. */
function indexOf(picked: string | undefined): number {
  return picked !== undefined && /^\d{1,3}$/.test(picked) ? Number(picked) : -1;
}

/** Whether the platform's own page is the only method: then the customer is redirected there immediately. */
function goesStraight({ hosted }: HostedPlatform): boolean {
  return hosted.oauth !== undefined && hosted.fields.length === 0;
}

function pickOf(
  offered: readonly HostedPlatform[],
  wanted: string | undefined,
  session: Session,
): HostedPlatform | undefined {
  const id = session.platform ?? wanted;
  return offered.find(({ platform }) => platform.id === id);
}

function sendPick(context: Context, response: Response, session: Session, offered: readonly HostedPlatform[]): void {
  const title = 'Connect an account';
  const main = pickView(session.id, offered);
  const leadsTo = offered.filter(goesStraight);
  sendConnectPage(context, response, { status: 200, title, main, session, leadsTo });
}

function sendForm(
  context: Context,
  response: Response,
  session: Session,
  offered: HostedPlatform,
  typed: Readonly<Record<string, string>>,
  problem: string | null,
): void {
  const hasOthers = (session.platform ?? null) === null;
  const main = formView({ sessionId: session.id, offered, typed, problem, hasOthers });
  const heading = `Connect ${offered.platform.name}`;
  // Screen readers announce the title first.
  const title = problem === null ? heading : `That did not work: ${heading}`;
  const status = problem === null ? 200 : 422;
  sendConnectPage(context, response, { status, title, main, session, leadsTo: [offered] });
}
