/** The list of posts: newest first, filtered by state, in pages. */
import type { Post } from './api.ts';
import type { Workspace } from './workspace.ts';
import { byId, el, whileBusy } from './dom.ts';
import { postRow } from './post-row.ts';
import { announce, showingProblems } from './messages.ts';

const PAGE_SIZE = 20;

/** @returns a function that reloads the first page */
export function setUpPosts(desk: Workspace): { reload: () => void } {
  const list = byId('posts', HTMLOListElement);
  const status = byId('status', HTMLSelectElement);
  const newer = byId('newer', HTMLButtonElement);
  const older = byId('older', HTMLButtonElement);
  const pager = byId('pager', HTMLElement);
  const refresh = byId('refresh', HTMLButtonElement);
  let page = 0;
  /** Counts requests, so that a late response does not replace a newer one. */
  let readings = 0;

  const read = (wanted: number) =>
    showingProblems('posts-problem', async () => {
      readings += 1;
      const reading = readings;
      // Requests one more than is shown, to detect an older page.
      const state = status.value as Post['status'] | '';
      const { posts } = await desk.api.query('posts', 'list', {
        ...(state === '' ? {} : { status: state }),
        limit: PAGE_SIZE + 1,
        offset: wanted * PAGE_SIZE,
      });
      if (reading !== readings) return;
      page = wanted;
      const rows = posts.slice(0, PAGE_SIZE).map((post) => postRow(desk, post));
      list.replaceChildren(...(rows.length > 0 ? rows : [emptyRow(page, state)]));
      pager.hidden = page === 0 && posts.length <= PAGE_SIZE;
      newer.disabled = page === 0;
      older.disabled = posts.length <= PAGE_SIZE;
      byId('page', HTMLElement).textContent = `Page ${page + 1}`;
    });

  const turn = (pressed: HTMLButtonElement, wanted: () => number) =>
    pressed.addEventListener('click', () => {
      void whileBusy(pressed, async () => {
        if (!(await read(wanted()))) return;
        announce(`Posts, page ${page + 1}.`);
        if (pressed !== refresh) byId('posts-heading', HTMLElement).focus();
      });
    });
  turn(newer, () => page - 1);
  turn(older, () => page + 1);
  turn(refresh, () => page);
  status.addEventListener(
    'change',
    () => void read(0).then((well) => well && announce(`Posts: ${status.value || 'all'}.`)),
  );
  void read(0);
  return { reload: () => void read(0) };
}

function emptyRow(page: number, state: string): HTMLElement {
  const sentence =
    page > 0
      ? 'There are no older posts.'
      : state === ''
        ? 'There is no post yet.'
        : `There is no post that is ${state}.`;
  return el('li', { class: 'empty' }, sentence);
}
