/** Starts the console: asks for a key, and opens the desk with it. */
import { Api, CallFailure } from './api.ts';
import { setUpConnections } from './connections.ts';
import { Desk } from './desk.ts';
import { byId, whileBusy } from './dom.ts';
import { forgetKey, storedKey, storeKey } from './key-store.ts';
import { setUpPosts } from './posts.ts';
import { announce, showingProblems } from './speak.ts';
import { showTargets } from './targets.ts';
import { setUpWriting } from './write.ts';

/** For what was pasted and can not even be sent in a header. */
const NOT_A_KEY = new CallFailure(null, 'This is not an API key.', 'A key begins with crl_live_ or crl_test_.');

const form = byId('key-form', HTMLFormElement);
const field = byId('key', HTMLInputElement);
const submit = byId('open', HTMLButtonElement);

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void whileBusy(submit, () => open(field.value.trim()));
});

byId('forget-key', HTMLButtonElement).addEventListener('click', () => {
  forgetKey();
  // A fresh page has nothing left of what the key could see.
  location.reload();
});

const kept = storedKey();
if (kept !== null) await whileBusy(submit, () => open(kept));

async function open(key: string): Promise<void> {
  const opened = await showingProblems('key-problem', async () => {
    if (!/^[\x21-\x7e]+$/.test(key)) throw NOT_A_KEY;
    const api = new Api(key);
    const [{ connections }, { platforms }] = await Promise.all([
      api.query('connections', 'list', {}),
      api.query('platforms', 'list', {}),
    ]);
    storeKey(key);
    openDesk(new Desk(api, platforms, connections), key);
  });
  if (!opened) field.value = key;
}

function openDesk(desk: Desk, key: string): void {
  field.value = '';
  byId('key-panel', HTMLElement).hidden = true;
  byId('desk', HTMLElement).hidden = false;
  byId('key-shown', HTMLElement).textContent = `${key.slice(0, 14)}…`;
  const text = byId('text', HTMLTextAreaElement);
  showTargets(desk, text.value);
  const posts = setUpPosts(desk);
  setUpWriting(desk, posts.reload);
  setUpConnections(desk, () => showTargets(desk, text.value));
  announce('The console is open.');
  text.focus();
}
