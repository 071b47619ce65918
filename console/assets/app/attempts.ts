/** Shows the send ledger of a post: each call to the platform and its outcome. */
import type { Attempt } from './api.ts';
import type { Workspace } from './workspace.ts';
import { el } from './dom.ts';
import { problem, problemOf } from './messages.ts';
import { duration, timeElement } from './times.ts';

/** Labels of the recorded steps of an attempt. */
const STEPS: Readonly<Record<Attempt['step'], string>> = {
  head: 'Post',
  reply: 'Reply',
  first_comment: 'First comment',
  delete: 'Take-down',
};

/** Loads the attempts of a post and shows them, or the failure to load them. */
export async function attemptsList(desk: Workspace, postId: string): Promise<HTMLElement> {
  try {
    const { attempts } = await desk.api.query('posts', 'attempts', { postId });
    if (attempts.length === 0) return el('p', { class: 'hint' }, 'The platform was not called for this post.');
    return el('ol', {}, ...attempts.map(attemptRow));
  } catch (failure) {
    return problemOf(failure);
  }
}

function attemptRow(attempt: Attempt): HTMLElement {
  const { step, index, state, startedAt, settledAt, platformPostId, error } = attempt;
  const name = index === 0 ? STEPS[step] : `${STEPS[step]} ${index + 1}`;
  const took = settledAt === null ? ', no answer yet' : `, settled after ${duration(startedAt, settledAt)}`;
  return el(
    'li',
    {},
    el(
      'p',
      {},
      el('b', {}, name),
      ' ',
      el('span', { class: `badge ${state}` }, state),
      ' ',
      timeElement(startedAt),
      took,
    ),
    platformPostId === null ? null : el('p', { class: 'hint' }, 'Id on the platform: ', el('code', {}, platformPostId)),
    error === null ? null : problem(error.code, error.message),
  );
}
