/**
 * /set-up/{secret}: the owner of an account, or a person who was invited, chooses how to sign in. Opening the link does not
 * consume it.
 */
import type { Request, RequestHandler, Response } from 'express';
import type { Context } from '../../services/context.ts';
import { emailAddress } from '../../services/people/email-address.ts';
import { PASSWORD_MIN_LENGTH, passwordProblem } from '../../services/people/new-password.ts';
import { findOwnerLink, type OpenOwnerLink } from '../../services/people/owner-links.ts';
import { setUpOwner } from '../../services/people/set-up-owner.ts';
import { fieldsOf } from '../form-fields.ts';
import { html } from '../html.ts';
import { ROLE_WORDS } from '../../services/access/roles.ts';
import { fieldView, problemView } from './fields.ts';
import { sendForeignForm, sendNotice, sendPeoplePage } from './send-people-page.ts';
import { HOME, visitOf, welcome } from './sign-in-page.ts';
import { isVisitorsForm, visitorField } from './visitor.ts';

type Handler = RequestHandler<{ secret: string }>;

const TAKEN = 'Another person on this install signs in with this address. Choose another one.';
const TAKEN_BY_THEN =
  'This address signs in to an account of this install already. Ask for an invitation to another address.';

export function showSetUp(context: Context): Handler {
  return async (request, response) => {
    const { secret } = request.params;
    const link = await findOwnerLink(context, secret);
    if (link === null) return sendGone(response);
    sendForm(context, request, response, { status: 200, secret, link, email: link.email ?? '', problem: null });
  };
}

export function handleSetUp(context: Context): Handler {
  return async (request, response) => {
    const { secret } = request.params;
    const link = await findOwnerLink(context, secret);
    if (link === null) return sendGone(response);
    if (!isVisitorsForm(context, request, request.body)) return sendForeignForm(response, `/set-up/${secret}`);
    const { email: entered = '', password = '' } = fieldsOf(request.body);
    // An invitation is for one address.
    const typed = link.purpose === 'invitation' ? (link.email ?? '') : entered;
    const email = emailAddress(typed);
    const refuse = (problem: string) =>
      sendForm(context, request, response, { status: 400, secret, link, email: typed, problem });
    if (email === null) return refuse('The email must be an address such as you@bells.example.');
    const problem = passwordProblem(password);
    if (problem !== null) return refuse(`The password ${problem}.`);
    const outcome = await setUpOwner(context, secret, { email, password, ...visitOf(request, response) });
    if (outcome.kind === 'taken') return refuse(link.purpose === 'invitation' ? TAKEN_BY_THEN : TAKEN);
    if (outcome.kind === 'gone') return sendGone(response);
    await welcome(context, request, response, outcome.secret, HOME);
  };
}

function sendGone(response: Response): void {
  const sentence =
    'This link was used, withdrawn or replaced, or it is too old. Ask an owner of the account for a new invitation. The operator of this install creates a link for an owner with: npm run carillon -- owner link';
  sendNotice(response, 410, 'Nothing here', sentence, { to: '/sign-in', text: 'Sign in' });
}

interface SetUpForm {
  readonly status: number;
  readonly secret: string;
  readonly link: OpenOwnerLink;
  readonly email: string;
  readonly problem: string | null;
}

function sendForm(context: Context, request: Request, response: Response, form: SetUpForm): void {
  const { status, secret, link, email, problem } = form;
  const isNew = link.purpose !== 'new password';
  const isInvited = link.purpose === 'invitation';
  const title = isInvited ? 'Join the account' : isNew ? 'Set up your sign-in' : 'Choose a new password';
  const hint = `At least ${PASSWORD_MIN_LENGTH} characters. Several words are easier to keep than signs.`;
  const main = html`<section class="panel" aria-labelledby="heading">
    <h1 id="heading">${title}</h1>
    <p>${introduction(link)}</p>
    ${problemView(problem)}
    <form method="post" action="/set-up/${secret}">
      ${visitorField(context, request, response)}
      ${fieldView({ name: 'email', label: 'Email', type: 'email', autocomplete: 'username', value: email, isFixed: isInvited })}
      ${fieldView({ name: 'password', label: 'Password', type: 'password', autocomplete: 'new-password', hint })}
      <button class="primary" type="submit">${isInvited ? 'Join' : isNew ? 'Set up' : 'Save'}</button>
    </form>
  </section>`;
  sendPeoplePage(response, { status, title, main });
}

function introduction({ purpose, role }: OpenOwnerLink): string {
  if (purpose === 'new password') return 'This signs you out of every browser, and takes your passkeys away.';
  const signIn = 'With these you sign in from now on.';
  return purpose === 'invitation' ? `You are invited as ${role}. ${ROLE_WORDS[role]} ${signIn}` : signIn;
}
