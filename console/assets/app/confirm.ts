/** Asks for confirmation before an irreversible action. */
import { byId } from './dom.ts';

export interface Question {
  readonly question: string;
  /** The subject, e.g. the text of the post. */
  readonly detail: string;
  /** Label of the confirm button. */
  readonly yes: string;
}

/** Opens the dialog. True when the user confirms, false on the other button and on Escape. */
export function confirmed(question: Question): Promise<boolean> {
  const dialog = byId('confirm', HTMLDialogElement);
  byId('confirm-question', HTMLElement).textContent = question.question;
  byId('confirm-detail', HTMLElement).textContent = question.detail;
  const yes = byId('confirm-yes', HTMLButtonElement);
  const no = byId('confirm-no', HTMLButtonElement);
  yes.textContent = question.yes;
  return new Promise((resolve) => {
    const listening = new AbortController();
    const once = { signal: listening.signal };
    dialog.returnValue = '';
    yes.addEventListener('click', () => dialog.close('yes'), once);
    no.addEventListener('click', () => dialog.close(), once);
    const closed = () => {
      listening.abort();
      resolve(dialog.returnValue === 'yes');
    };
    dialog.addEventListener('close', closed, once);
    dialog.showModal();
    // Enter selects the safe answer.
    no.focus();
  });
}
