/** Messages to the user: shows problems next to their cause and announces news to screen readers. */
import { CallFailure } from './api.ts';
import { byId, el } from './dom.ts';

/** Shows a failure with its hint and a link to the explanation of its code. */
export function problem(code: string | null, message: string, hint: string | null = null): HTMLElement {
  const advice = hint ?? hintFor(code);
  return el(
    'div',
    { class: 'problem' },
    el('p', {}, message),
    advice === null ? null : el('p', { class: 'hint' }, advice),
    code === null
      ? null
      : el(
          'p',
          { class: 'hint' },
          'More on ',
          el('a', { href: `/docs/errors#${encodeURIComponent(code)}` }, el('code', {}, code)),
        ),
  );
}

/** Returns the page's hint for a code; errors of single connections do not carry one. */
function hintFor(code: string | null): string | null {
  const held = [...byId('hints', HTMLElement).children].find(
    (hint) => hint instanceof HTMLElement && hint.dataset['code'] === code,
  );
  return held?.textContent ?? null;
}

/** Shows an error that was thrown. */
export function problemOf(failure: unknown): HTMLElement {
  if (failure instanceof CallFailure) return problem(failure.code, failure.message, failure.hint);
  return problem(null, 'Something in this page failed.', `Reload the page. It said: ${String(failure)}`);
}

/** Shows a failure at a place on the page; null clears it. */
export function showProblem(placeId: string, failure: unknown): void {
  byId(placeId, HTMLElement).replaceChildren(...(failure === null ? [] : [problemOf(failure)]));
}

/** Runs `work` and shows a failure at the given place. Returns whether it succeeded. */
export async function showingProblems(placeId: string, work: () => Promise<void>): Promise<boolean> {
  showProblem(placeId, null);
  try {
    await work();
    return true;
  } catch (failure) {
    showProblem(placeId, failure);
    return false;
  }
}

/** Announces a sentence to screen readers, even if it equals the last one. */
export function announce(sentence: string): void {
  const announcer = byId('announcer', HTMLElement);
  announcer.textContent = '';
  setTimeout(() => {
    announcer.textContent = sentence;
  }, 50);
}
