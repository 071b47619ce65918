/** Starts the console: opens it for a signed-in user, or asks for an API key. */
import { Api, wayOfOwner } from './api.ts';
import { askForKey } from './ask-for-key.ts';
import { readDesk, showDesk } from './open-desk.ts';
import { showingProblems } from './speak.ts';

const token = document.querySelector<HTMLMetaElement>('meta[name="carillon-csrf"]')?.content;

if (token === undefined) await askForKey();
else {
  await showingProblems('opening-problem', async () => showDesk(await readDesk(new Api(wayOfOwner(token))), 'opening'));
}
