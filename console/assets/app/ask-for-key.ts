/** Asks for an API key and opens the console with it. */
import { Api, CallFailure, wayOfKey } from './api.ts';
import { byId, whileBusy } from './dom.ts';
import { forgetKey, storedKey, storeKey } from './key-store.ts';
import { readWorkspace, showWorkspace } from './open-workspace.ts';
import { showingProblems } from './messages.ts';

/** Message for input that cannot be sent in a header. */
const NOT_A_KEY = new CallFailure(null, 'This is not an API key.', 'A key begins with crl_live_ or crl_test_.');

/** Starts with the key of this tab, if there is one. */
export async function askForKey(): Promise<void> {
  const field = byId('key', HTMLInputElement);
  const submit = byId('open', HTMLButtonElement);
  byId('key-form', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault();
    void whileBusy(submit, () => open(field));
  });
  byId('forget-key', HTMLButtonElement).addEventListener('click', () => {
    forgetKey();
    // A reload removes everything that the key gave access to.
    location.reload();
  });
  const kept = storedKey();
  if (kept === null) return;
  field.value = kept;
  await whileBusy(submit, () => open(field));
}

async function open(field: HTMLInputElement): Promise<void> {
  const key = field.value.trim();
  await showingProblems('key-problem', async () => {
    if (!/^[\x21-\x7e]+$/.test(key)) throw NOT_A_KEY;
    const desk = await readWorkspace(new Api(wayOfKey(key)));
    storeKey(key);
    field.value = '';
    byId('key-shown', HTMLElement).textContent = `${key.slice(0, 14)}…`;
    showWorkspace(desk, 'key-panel');
  });
}
