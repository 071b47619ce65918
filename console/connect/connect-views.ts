/** The views of a connect session. Every step can be cancelled. */
import type { HostedPlatform } from '../../services/connect/connectable-platforms.ts';
import { type Html, html } from '../html.ts';

type Hosted = HostedPlatform['hosted'];
type Field = Hosted['fields'][number];
type Alternative = NonNullable<Hosted['alternative']>;

/** Path to which the steps of a session are posted. */
function stepPath(sessionId: string, step: string): string {
  return `/connect/session/${sessionId}/${step}`;
}

/** The platform selection. */
export function pickView(sessionId: string, offered: readonly HostedPlatform[]): Html {
  return html`<section class="panel" aria-labelledby="heading">
    <h1 id="heading">Connect an account</h1>
    <p>Which platform is your account on?</p>
    <form class="platforms" method="post" action="${stepPath(sessionId, 'pick')}">
      ${offered.map(
        ({ platform }) => html`<button type="submit" name="platform" value="${platform.id}">${platform.name}</button> `,
      )}
    </form>
    ${cancelForm(sessionId)}
  </section>`;
}

export interface FormView {
  readonly sessionId: string;
  readonly offered: HostedPlatform;
  /** Previous input; secrets must be entered again. */
  readonly typed: Readonly<Record<string, string>>;
  /** Why the last attempt failed. */
  readonly problem: string | null;
  /** Whether other platforms can be selected. */
  readonly hasOthers: boolean;
}

/** The form of one platform. */
export function formView({ sessionId, offered, typed, problem, hasOthers }: FormView): Html {
  const { platform, hosted } = offered;
  const asks = hosted.fields.length > 0;
  return html`<section class="panel" aria-labelledby="heading">
    <h1 id="heading">Connect ${platform.name}</h1>
    ${
      problem !== null &&
      html`<div class="problem" role="alert">
        <p>That did not work.</p>
        <p dir="auto">${problem}</p>
      </div>`
    }
    ${
      hosted.oauth === undefined
        ? !asks && html`<p>No login is needed.</p>`
        : html`<p>You go on to ${asks ? 'your server' : platform.name} to agree there, and then come back.</p>`
    }
    <form method="post" action="${stepPath(sessionId, 'connect')}">
      <input type="hidden" name="platform" value="${platform.id}" />
      ${hosted.fields.map((field) => fieldView(field, typed[field.name] ?? ''))}
      <button class="primary" type="submit">Connect</button>
    </form>
    ${hosted.alternative !== undefined && alternativeForm(sessionId, platform.id, hosted.alternative, typed)}
    ${cancelForm(sessionId)}
    ${hasOthers && html`<p><a class="way" href="/connect/session/${sessionId}?platform=">Choose another platform</a></p>`}
  </section>`;
}

/** The second method, on the platform's own page. */
function alternativeForm(sessionId: string, platformId: string, way: Alternative, typed: FormView['typed']): Html {
  return html`<p class="or">or</p>
    <form method="post" action="${stepPath(sessionId, 'alternative')}">
      <input type="hidden" name="platform" value="${platformId}" />
      <p>${way.hint}</p>
      ${way.fields.map((field) => fieldView(field, typed[field.name] ?? ''))}
      <button type="submit">${way.button}</button>
    </form>`;
}

/** The selection of one of several accounts. */
export function chooseView(sessionId: string, labels: readonly string[]): Html {
  return html`<section class="panel" aria-labelledby="heading">
    <h1 id="heading">Which one?</h1>
    <p>You may connect one of these.</p>
    <form class="platforms" method="post" action="${stepPath(sessionId, 'choose')}">
      ${labels.map((label, index) => html`<button type="submit" name="account" value="${index}" dir="auto">${label}</button> `)}
    </form>
    ${cancelForm(sessionId)}
  </section>`;
}

/** A page without a form. @param link where the customer may go next */
export function noticeView(
  title: string,
  sentence: string,
  link?: { readonly to: string; readonly text: string },
): Html {
  return html`<section class="panel absent">
    <h1>${title}</h1>
    <p>${sentence}</p>
    ${link !== undefined && html`<p><a class="way" href="${link.to}">${link.text}</a></p>`}
  </section>`;
}

function cancelForm(sessionId: string): Html {
  return html`<form method="post" action="${stepPath(sessionId, 'cancel')}">
    <button class="quiet" type="submit">Cancel</button>
  </form>`;
}

function fieldView({ name, label, hint, kind, required }: Field, typed: string): Html {
  const isSecret = kind === 'secret';
  return html`<div class="field">
    <label for="${name}">${label}</label>
    <input
      id="${name}"
      name="${name}"
      type="${isSecret ? 'password' : 'text'}"
      ${kind === 'server' && html`inputmode="url"`}
      value="${isSecret ? '' : typed}"
      maxlength="1000"
      aria-describedby="${name}-hint"
      autocomplete="off"
      autocapitalize="none"
      spellcheck="false"
      ${required && html`required`}
    />
    <p class="hint" id="${name}-hint">${required ? '' : 'May be left empty. '}${hint}</p>
  </div>`;
}
