/** Starts the console: opens the desk for whoever is signed in, or asks for a key. */
import { Api, wayOfOwner } from './api.ts';
import { askForKey } from './ask-for-key.ts';
import { readDesk, showDesk } from './open-desk.ts';
import { showingProblems } from './speak.ts';

const token = document.querySelector<HTMLMetaElement>('meta[name="carillon-csrf"]')?.content;

if (token === undefined) await askForKey();
else {
  await showingProblems('opening-problem', async () => showDesk(await readDesk(new Api(wayOfOwner(token))), 'opening'));
}
