/** Tells people what happened: problems where they arose, news to screen readers. */
import { CallFailure } from './api.ts';
import { byId, el } from './dom.ts';

/** Shows a failure with its hint, and where its code is explained. */
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

/** What the page holds as advice on a code; errors of single connections come without. */
function hintFor(code: string | null): string | null {
  const held = [...byId('hints', HTMLElement).children].find(
    (hint) => hint instanceof HTMLElement && hint.dataset['code'] === code,
  );
  return held?.textContent ?? null;
}

/** Draws what was thrown. */
export function problemOf(failure: unknown): HTMLElement {
  if (failure instanceof CallFailure) return problem(failure.code, failure.message, failure.hint);
  return problem(null, 'Something in this page failed.', `Reload the page. It said: ${String(failure)}`);
}

/** Puts a failure into a place on the page; null empties it. */
export function showProblem(placeId: string, failure: unknown): void {
  byId(placeId, HTMLElement).replaceChildren(...(failure === null ? [] : [problemOf(failure)]));
}

/** Runs `work`; what goes wrong is shown at the place. Tells whether it went well. */
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

/** Says a sentence to screen readers, also when it is the same as the last. */
export function announce(sentence: string): void {
  const announcer = byId('announcer', HTMLElement);
  announcer.textContent = '';
  setTimeout(() => {
    announcer.textContent = sentence;
  }, 50);
}
