/** /sign-in and /sign-out. An unknown address and a wrong password get the same response. */
import type { Request, RequestHandler, Response } from 'express';
import type { Context } from '../../services/context.ts';
import { relyingParty } from '../../services/people/passkeys/relying-party.ts';
import { signIn } from '../../services/people/sign-in.ts';
import { endOwnSignIn } from '../../services/people/end-own-sign-in.ts';
import type { Visit } from '../../services/people/owner-change.ts';
import { endSignIn } from '../../services/people/sign-ins.ts';
import { fieldsOf } from '../form-fields.ts';
import { html } from '../html.ts';
import { fieldView, problemView, waitSentence } from './fields.ts';
import { localPath } from './local-path.ts';
import { PASSKEY_SCRIPT, passkeySignIn } from './passkey-views.ts';
import { sendForeignForm, sendPeoplePage } from './send-people-page.ts';
import { setSignInCookie, clearSignInCookie } from './sign-in-cookie.ts';
import { isOurForm, signedIn, signInAddress } from './signed-in.ts';
import { isVisitorsForm, visitorField } from './visitor.ts';

/** Default page after sign-in. */
export const HOME = '/owner';

const REFUSED = 'Email or password is wrong.';

export function showSignIn(context: Context): RequestHandler {
  return async (request, response) => {
    const next = localPath(context, request.query['next']);
    if ((await signedIn(context, request)) !== null) return response.redirect(303, next ?? HOME);
    sendForm(context, request, response, { status: 200, next, email: '', problem: null });
  };
}

export function handleSignIn(context: Context): RequestHandler {
  return async (request, response) => {
    const { email = '', password = '', next: asked } = fieldsOf(request.body);
    const next = localPath(context, asked);
    if (!isVisitorsForm(context, request, request.body)) return sendForeignForm(response, signInAddress(next));
    const outcome = await signIn(context, { email, password, ...visitOf(request, response) });
    if (outcome.kind === 'done') return welcome(context, request, response, outcome.secret, next ?? HOME);
    if (outcome.kind === 'refused') {
      return sendForm(context, request, response, { status: 401, next, email, problem: REFUSED });
    }
    response.setHeader('retry-after', String(outcome.seconds));
    sendForm(context, request, response, { status: 429, next, email, problem: waitSentence(outcome.seconds) });
  };
}

export function handleSignOut(context: Context): RequestHandler {
  return async (request, response) => {
    const person = await signedIn(context, request);
    if (person !== null) {
      if (!isOurForm(context, request, person, request.body)) return sendForeignForm(response, HOME);
      await endOwnSignIn(context, person, person.signInId, visitOf(request, response));
    }
    clearSignInCookie(context, response);
    response.redirect(303, '/sign-in');
  };
}

export function visitOf(request: Request, response: Response): Visit {
  const requestId = String(response.locals['requestId']);
  return { ip: request.ip ?? '', userAgent: request.headers['user-agent'] ?? '', requestId };
}

/** Signs a browser in and ends its previous sign-in, which an attacker may have planted (session fixation). */
export async function welcome(
  context: Context,
  request: Request,
  response: Response,
  secret: string,
  next: string,
): Promise<void> {
  const before = await signedIn(context, request);
  if (before !== null) await endSignIn(context.db.em(), before.ownerId, before.signInId);
  setSignInCookie(context, response, secret);
  response.redirect(303, next);
}

interface SignInForm {
  readonly status: number;
  readonly next: string | null;
  readonly email: string;
  readonly problem: string | null;
}

function sendForm(context: Context, request: Request, response: Response, form: SignInForm): void {
  const { status, next, email, problem } = form;
  const hasPasskeys = relyingParty(context) !== null;
  const hidden = html`
    ${visitorField(context, request, response)}
    ${next !== null && html`<input type="hidden" name="next" value="${next}" />`}
  `;
  const main = html`<section class="panel" aria-labelledby="heading">
    <h1 id="heading">Sign in</h1>
    ${problemView(problem)}
    <form method="post" action="/sign-in">
      ${hidden} ${fieldView({ name: 'email', label: 'Email', type: 'email', autocomplete: 'username', value: email })}
      ${fieldView({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' })}
      <button class="primary" type="submit">Sign in</button>
    </form>
    ${hasPasskeys && passkeySignIn(hidden)}
    <p class="hint">Lost the password? The operator of this install can create a link to set a new one.</p>
  </section>`;
  sendPeoplePage(response, { status, title: 'Sign in', main, script: hasPasskeys ? PASSKEY_SCRIPT : undefined });
}
