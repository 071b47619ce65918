/** The connections to which a post can go, each with its remaining text length. */
import type { Connection } from './api.ts';
import type { Workspace } from './workspace.ts';
import { byId, el } from './dom.ts';
import { announce } from './messages.ts';
import { textLength } from './text-length.ts';

/** Slugs for which the text was too long at the last check. */
let tooLongFor = '';

/** Shows the connections as check boxes. The selection is kept; a single connection is selected by default. */
export function showTargets(desk: Workspace, text: string): void {
  const chosen = new Set(checkedIds());
  const [only, ...others] = desk.connections;
  if (only !== undefined && others.length === 0) chosen.add(only.id);
  const boxes = desk.connections.map((connection) => targetBox(desk, connection, chosen.has(connection.id)));
  byId('targets', HTMLElement).replaceChildren(
    ...(boxes.length > 0 ? boxes : [el('p', { class: 'hint' }, 'There is no connection yet.')]),
  );
  showLengths(desk, text);
}

/** Returns the selected connections, in display order. */
export function chosenTargets(desk: Workspace): Connection[] {
  const ids = new Set(checkedIds());
  return desk.connections.filter(({ id }) => ids.has(id));
}

/** Shows the length of the text and the remaining length per connection. Announces when the text becomes too long. */
export function showLengths(desk: Workspace, text: string): void {
  const trimmed = text.trim();
  const length = textLength(trimmed, 'graphemes');
  byId('text-length', HTMLElement).textContent =
    `${length} ${length === 1 ? 'character' : 'characters'}. Counted in full; some platforms count links as shorter.`;
  for (const connection of desk.connections) {
    const shown = document.getElementById(countId(connection));
    const left = roomLeft(desk, connection, trimmed);
    if (shown === null || left === null) continue;
    shown.textContent = left < 0 ? `${-left} too many` : `${left} left`;
    shown.classList.toggle('over', left < 0);
  }
  const over = chosenTargets(desk).filter((connection) => (roomLeft(desk, connection, trimmed) ?? 0) < 0);
  const names = over.map(({ slug }) => slug).join(', ');
  if (names !== tooLongFor && names !== '') announce(`Too long for ${names}.`);
  tooLongFor = names;
}

function targetBox(desk: Workspace, connection: Connection, checked: boolean): HTMLElement {
  const { id, slug, profileId } = connection;
  const box = el('input', {
    type: 'checkbox',
    name: 'target',
    value: id,
    checked,
    'aria-describedby': countId(connection),
  });
  const where = desk.describe(connection) + (profileId === null ? '' : `, profile ${profileId}`);
  return el(
    'div',
    { class: 'target' },
    el('label', { class: 'choice' }, box, ' ', el('b', {}, slug), ' ', el('span', { class: 'soft' }, where)),
    el('span', { class: 'count', id: countId(connection) }),
  );
}

function checkedIds(): string[] {
  return [...document.querySelectorAll<HTMLInputElement>('input[name="target"]:checked')].map(({ value }) => value);
}

function roomLeft(desk: Workspace, connection: Connection, text: string): number | null {
  const limits = desk.platforms.get(connection.platformId)?.text;
  return limits === undefined ? null : limits.maxLength - textLength(text, limits.unit);
}

function countId({ id }: Connection): string {
  return `count-${id}`;
}
