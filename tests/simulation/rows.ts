/** The required column values of a post in each state. */
import type { PostStatus } from '../../entities/post.ts';
import type { PostRow } from './journal.ts';
import { ms } from './journal.ts';
import { hold, type Replica } from './replica.ts';

type Facts = Readonly<Record<string, boolean>>;

/** Three have none. Threads does not say which post a container became, and a search may not find it among later ones. */
const MAY_LACK_LINK: readonly string[] = ['email', 'slack', 'sms', 'threads'];

/** Rules for every post in a state. */
const OF_STATE: Record<PostStatus, (post: PostRow) => Facts> = {
  draft: (post) => ({
    'never tried, unless a retry waits for approval': post.tries === 0 || post.approval_id !== null,
    'no time': post.scheduled_for === null,
    'not sent': post.sent_at === null,
  }),
  scheduled: (post) => ({
    'a time': post.scheduled_for !== null,
    'not sent': post.sent_at === null,
    'no error': post.error_code === null && post.error_message === null,
    'held only in a queue, or by a stop': !post.held || post.queued || post.stop_id !== null,
  }),
  processing: (post) => ({
    'a claim': post.claim !== null && post.claimed_until !== null,
    'not sent': post.sent_at === null && post.platform_post_id === null,
    'no error': post.error_code === null && post.error_message === null,
    'not held': !post.held,
  }),
  sent: (post) => ({
    'no repeats left over': post.repeats === 0,
    'sent, with an id': post.sent_at !== null && post.platform_post_id !== null,
    'a link, if its platform gives one': post.url !== null || MAY_LACK_LINK.includes(post.platform_id),
    'no error': post.error_code === null && post.error_message === null,
    'not early': post.scheduled_for === null || ms(post.sent_at ?? '') >= ms(post.scheduled_for),
  }),
  failed: (post) => ({
    'no repeats left over': post.repeats === 0,
    'an error': post.error_code !== null && (post.error_message ?? '') !== '',
    'not sent': post.sent_at === null && post.platform_post_id === null,
    'not held': !post.held,
  }),
  cancelled: (post) => ({
    'not sent': post.sent_at === null,
    'no error': post.error_code === null,
    'not held': !post.held,
  }),
  deleted: (post) => ({ 'sent once': post.sent_at !== null && post.platform_post_id !== null }),
};

/** Rules for every post. */
function always(post: PostRow): Facts {
  const isClaimable = post.status === 'processing' || post.status === 'sent';
  const isUnknown = post.status === 'failed' && post.error_code === 'outcome_unknown';
  return {
    // A sent post is claimed while it is being deleted.
    'claimed while processing or sent only': isClaimable || post.claim === null,
    'a time of its claim then, or when its outcome became unknown':
      isClaimable || (post.claimed_until !== null) === (isUnknown && post.scheduled_for === null),
    'a first time with repeats or a catch-up only': post.first_due_at === null || post.repeats > 0 || !post.queued,
    'three repeats at most': post.repeats <= 3 && post.tries >= post.repeats,
    'deleted_at with deleted only': (post.deleted_at !== null) === (post.status === 'deleted'),
    'a stop of what has not gone out only':
      post.stop_id === null || post.status === 'scheduled' || post.status === 'processing',
    'slots with queued only': post.slot_at === null || post.queued,
    'a slot that is its time':
      post.status !== 'scheduled' || post.slot_at === null || post.slot_at === post.scheduled_for,
  };
}

/** @throws Broken */
export function checkRow(replica: Replica, post: PostRow): void {
  for (const [fact, holds] of Object.entries({ ...always(post), ...OF_STATE[post.status](post) })) {
    hold(
      holds,
      '2 columns',
      () => `${replica.nameOf(post)} is ${post.status}, without "${fact}": ${JSON.stringify(post)}`,
    );
  }
}

/** Rules for all waiting posts together: no slot twice, and none held back without a reason. */
export function checkWaiting(replica: Replica, now: number): void {
  const slots = new Set<string>();
  for (const post of replica.posts.values()) {
    if (post.status !== 'scheduled') continue;
    const connection = replica.connections.get(post.connection_id);
    hold(connection?.deleted_at === null, '2 columns', () => `${replica.nameOf(post)} waits for a deleted connection`);
    const isHeldRightly =
      !post.held || post.stop_id !== null || (connection?.queue_paused === true && ms(post.scheduled_for ?? '') <= now);
    hold(
      isHeldRightly,
      '2 columns',
      () => `${replica.nameOf(post)} is held, and its queue is not paused or it is not due`,
    );
    if (post.slot_at === null) continue;
    const slot = `${post.connection_id} ${ms(post.slot_at)}`;
    hold(!slots.has(slot), '5 slots', () => `${replica.nameOf(post)} shares the slot ${post.slot_at}`);
    slots.add(slot);
  }
}
