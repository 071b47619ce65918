/** Shows the linked accounts, disconnects one, and connects another. */
import type { Connection } from './api.ts';
import { confirmed } from './confirm.ts';
import { readConnectForm, setUpConnectForm } from './connect-form.ts';
import type { Workspace } from './workspace.ts';
import { button, byId, el, whileBusy } from './dom.ts';
import { announce, showingProblems } from './messages.ts';

/** @param onChange called when the list of connections has changed */
export function setUpConnections(desk: Workspace, onChange: () => void): void {
  const form = byId('connect-form', HTMLFormElement);
  const connect = form.querySelector<HTMLButtonElement>('button[type="submit"]');
  const reread = async () => {
    await desk.readConnections();
    showConnections(desk, reread);
    onChange();
  };
  showConnections(desk, reread);
  const clear = setUpConnectForm(form);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (connect === null) return;
    void whileBusy(connect, () =>
      showingProblems('connect-problem', async () => {
        const { connection } = await desk.api.mutate('connections', 'connect', readConnectForm(form));
        announce(`${connection.slug} is connected.`);
        clear();
        byId('connect-details', HTMLDetailsElement).open = false;
        await reread();
        byId('connections-heading', HTMLElement).focus();
      }),
    );
  });
}

function showConnections(desk: Workspace, reread: () => Promise<void>): void {
  const rows = desk.connections.map((connection) => connectionRow(desk, connection, reread));
  byId('connections', HTMLUListElement).replaceChildren(
    ...(rows.length > 0 ? rows : [el('li', { class: 'empty' }, 'No account is connected yet.')]),
  );
}

function connectionRow(desk: Workspace, connection: Connection, reread: () => Promise<void>): HTMLElement {
  const { id, slug, profileId } = connection;
  const disconnect = button('Disconnect', { 'aria-label': `Disconnect ${slug}` }, async () => {
    const detail = 'Its stored login is removed, and what waits for it is cancelled. Sent posts stay readable.';
    if (!(await confirmed({ question: `Disconnect ${slug}?`, detail, yes: 'Disconnect it' }))) return;
    await showingProblems('connections-problem', async () => {
      await desk.api.mutate('connections', 'delete', { connectionId: id });
      announce(`${slug} is disconnected.`);
      await reread();
      byId('connections-heading', HTMLElement).focus();
    });
  });
  return el(
    'li',
    { class: 'connection' },
    el(
      'div',
      {},
      el('p', {}, el('b', {}, slug)),
      el('p', { class: 'soft' }, desk.describe(connection)),
      profileId === null ? null : el('p', { class: 'soft' }, 'Profile ', el('code', {}, profileId)),
    ),
    disconnect,
  );
}
