/** Starts the console: opens it for a signed-in user, or asks for an API key. */
import { Api, wayOfOwner } from './api.ts';
import { askForKey } from './ask-for-key.ts';
import { readWorkspace, showWorkspace } from './open-workspace.ts';
import { showingProblems } from './messages.ts';

const token = document.querySelector<HTMLMetaElement>('meta[name="carillon-csrf"]')?.content;

if (token === undefined) await askForKey();
else {
  await showingProblems('opening-problem', async () =>
    showWorkspace(await readWorkspace(new Api(wayOfOwner(token))), 'opening'),
  );
}
