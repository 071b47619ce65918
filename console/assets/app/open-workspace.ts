/** Opens the console after authentication. */
import type { Api } from './api.ts';
import { setUpConnections } from './connections.ts';
import { Workspace } from './workspace.ts';
import { byId } from './dom.ts';
import { setUpPosts } from './posts.ts';
import { announce } from './messages.ts';
import { showTargets } from './targets.ts';
import { setUpWriting } from './write.ts';

/** Loads the initial data. Fails without valid authentication. */
export async function readWorkspace(api: Api): Promise<Workspace> {
  const [{ connections }, { platforms }] = await Promise.all([
    api.query('connections', 'list', {}),
    api.query('platforms', 'list', {}),
  ]);
  return new Workspace(api, platforms, connections);
}

/** @param before id of the panel to hide */
export function showWorkspace(desk: Workspace, before: string): void {
  byId(before, HTMLElement).hidden = true;
  byId('desk', HTMLElement).hidden = false;
  const text = byId('text', HTMLTextAreaElement);
  showTargets(desk, text.value);
  const posts = setUpPosts(desk);
  setUpWriting(desk, posts.reload);
  setUpConnections(desk, () => showTargets(desk, text.value));
  announce('The console is open.');
  text.focus();
}
