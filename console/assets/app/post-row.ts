/** One post of the list: its text, its state, and its actions. */
import type { Post } from './api.ts';
import { attemptsList } from './attempts.ts';
import { confirmed } from './confirm.ts';
import type { Workspace } from './workspace.ts';
import { button, byId, el, outsideLink } from './dom.ts';
import { statusBadge } from './results.ts';
import { announce, problem, problemOf } from './messages.ts';
import { timeElement } from './times.ts';

export function postRow(desk: Workspace, post: Post): HTMLElement {
  const { text, connectionSlug, status, url, error } = post;
  const trouble = el('div', { role: 'alert' });
  const row = el(
    'li',
    { class: 'post', tabindex: '-1' },
    el('p', { class: 'post-text', dir: 'auto' }, text),
    el('p', { class: 'facts' }, statusBadge(status), ' ', el('b', {}, connectionSlug), ' ', ...whenItWas(post)),
    url === null || status === 'deleted' ? null : el('p', {}, outsideLink(url, 'See the post')),
    error === null ? null : problem(error.code, error.message),
  );
  const actions = el(
    'div',
    { class: 'actions' },
    removalButton(desk, post, row, trouble),
    ...attemptsToggle(desk, post),
  );
  row.append(actions, trouble);
  return row;
}

function whenItWas({ status, createdAt, scheduledFor, deletedAt }: Post): (Node | string)[] {
  if (deletedAt !== null) return ['taken down ', timeElement(deletedAt)];
  if (scheduledFor !== null) return [status === 'scheduled' ? 'goes out ' : 'for ', timeElement(scheduledFor)];
  return ['written ', timeElement(createdAt)];
}

/** Label of the remove action, by the post's state. */
interface Removal {
  readonly label: string;
  readonly question: string;
  readonly yes: string;
  readonly done: string;
}

/** How this post can be removed; null when it cannot. */
function removalOf(desk: Workspace, post: Post): Removal | null {
  if (post.status === 'scheduled') {
    return { label: 'Cancel', question: 'Cancel this post?', yes: 'Cancel the post', done: 'The post is cancelled.' };
  }
  if (post.status === 'draft') {
    return { label: 'Delete draft', question: 'Delete this draft?', yes: 'Delete it', done: 'The draft is deleted.' };
  }
  const connection = desk.connections.find(
    ({ slug, profileId }) => slug === post.connectionSlug && profileId === post.profileId,
  );
  const platform = connection === undefined ? undefined : desk.platforms.get(connection.platformId);
  if (post.status !== 'sent' || platform?.delete === false) return null;
  const question = `Take this post down from ${platform?.name ?? 'its platform'}?`;
  return { label: 'Take down', question, yes: 'Take it down', done: 'The post is taken down.' };
}

/** Cancels a scheduled post, takes down a published one, deletes a draft. */
function removalButton(desk: Workspace, post: Post, row: HTMLElement, trouble: HTMLElement): HTMLElement | null {
  const removal = removalOf(desk, post);
  if (removal === null) return null;
  return button(removal.label, {}, async () => {
    if (!(await confirmed({ question: removal.question, detail: post.text, yes: removal.yes }))) return;
    trouble.replaceChildren();
    try {
      const answer = await desk.api.mutate('posts', 'delete', { postId: post.id });
      announce(removal.done);
      if ('status' in answer) await redraw(desk, post, row);
      else leave(row);
    } catch (failure) {
      trouble.replaceChildren(problemOf(failure));
    }
  });
}

/** Removes the row and moves the keyboard focus to the rest of the list. */
function leave(row: HTMLElement): void {
  row.remove();
  byId('posts-heading', HTMLElement).focus();
}

/** Shows the post's current state and moves the keyboard focus to it. */
async function redraw(desk: Workspace, { id }: Post, row: HTMLElement): Promise<void> {
  const { post } = await desk.api.query('posts', 'get', { postId: id });
  const fresh = postRow(desk, post);
  row.replaceWith(fresh);
  fresh.focus();
}

function attemptsToggle(desk: Workspace, { id, text }: Post): HTMLElement[] {
  const place = el('div', { class: 'attempts', id: `attempts-${id}`, hidden: true });
  const label = `Attempts of the post ${text.slice(0, 40)}`;
  const toggle = button(
    'Attempts',
    { 'aria-expanded': 'false', 'aria-controls': place.id, 'aria-label': label },
    async () => {
      const opening = place.hidden;
      if (opening) place.replaceChildren(await attemptsList(desk, id));
      place.hidden = !opening;
      toggle.setAttribute('aria-expanded', String(opening));
    },
  );
  return [toggle, place];
}
