/** Form fields of the owner pages, and the error message above them. */
import { type Html, html } from '../html.ts';

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly type: 'email' | 'password' | 'text';
  /** The value of `autocomplete`, for browsers and password managers. */
  readonly autocomplete: string;
  readonly value?: string;
  readonly hint?: string;
  /** Whether the value is shown and cannot be changed. */
  readonly isFixed?: boolean;
}

export function fieldView({ name, label, type, autocomplete, value = '', hint, isFixed = false }: Field): Html {
  return html`<div class="field">
    <label for="${name}">${label}</label>
    <input
      id="${name}"
      name="${name}"
      type="${type}"
      value="${value}"
      maxlength="1024"
      autocomplete="${autocomplete}"
      autocapitalize="none"
      spellcheck="false"
      ${hint !== undefined && html`aria-describedby="${name}-hint"`}
      ${isFixed && html`readonly`}
      required
    />
    ${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}
  </div>`;
}

export function problemView(problem: string | null): Html {
  return html`${problem !== null && html`<div class="problem" role="alert"><p>${problem}</p></div>`}`;
}

/** Formats a wait for people. */
export function waitSentence(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  return `Too many tries. Wait ${minutes === 1 ? 'a minute' : `${minutes} minutes`}, then try again; until then nothing is checked.`;
}
