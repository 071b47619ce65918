/** The form that writes a post: text, connections, time, and the submit button. */
import { CallFailure } from './api.ts';
import type { Workspace } from './workspace.ts';
import { byId, whileBusy } from './dom.ts';
import { showResults } from './results.ts';
import { sendPost } from './send-post.ts';
import { announce, showingProblems } from './messages.ts';
import { chosenTargets, showLengths } from './targets.ts';
import { ZONE } from './times.ts';

/** @param onSent called when something was sent, or may have been */
export function setUpWriting(desk: Workspace, onSent: () => void): void {
  const form = byId('write-form', HTMLFormElement);
  const text = byId('text', HTMLTextAreaElement);
  const time = byId('time', HTMLInputElement);
  const send = byId('send', HTMLButtonElement);
  byId('time-hint', HTMLElement).textContent = `In your time zone, ${ZONE}; at most 30 days ahead.`;

  const update = () => {
    const later = isLater(form);
    byId('later', HTMLElement).hidden = !later;
    send.textContent = later ? 'Schedule' : 'Publish';
    showLengths(desk, text.value);
  };
  // Browsers restore form input after a reload, so the page may start with a selection.
  update();
  text.addEventListener('input', update);
  form.addEventListener('change', update);

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void whileBusy(send, () =>
      showingProblems('write-problem', async () => {
        requireComplete(desk, form, text, time);
        announce('Sending.');
        try {
          const wallTime = isLater(form) ? time.value : null;
          const results = await sendPost(desk.api, {
            text: text.value,
            connections: chosenTargets(desk),
            wallTime,
            timezone: ZONE,
          });
          showResults(results);
          if (results.every(({ status }) => status !== 'failed')) text.value = '';
        } finally {
          update();
          onSent();
        }
      }),
    );
  });
}

function isLater(form: HTMLFormElement): boolean {
  return new FormData(form).get('when') === 'later';
}

/** Focuses the first missing field and names it. */
function requireComplete(
  desk: Workspace,
  form: HTMLFormElement,
  text: HTMLTextAreaElement,
  time: HTMLInputElement,
): void {
  if (text.value.trim() === '') throw missing(text, 'There is no text yet.', 'Write what is to be posted.');
  if (chosenTargets(desk).length === 0) {
    const first = form.querySelector<HTMLInputElement>('input[name="target"]');
    throw missing(
      first,
      'No connection is chosen.',
      first === null ? 'Connect an account first.' : 'Choose at least one connection.',
    );
  }
  if (isLater(form) && time.value === '')
    throw missing(time, 'The date or the time is missing.', 'Give both, or choose Now.');
}

function missing(field: HTMLElement | null, message: string, hint: string): CallFailure {
  field?.focus();
  return new CallFailure(null, message, hint);
}
