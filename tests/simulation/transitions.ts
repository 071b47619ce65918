/**
 * Checks every change of a post against the transition table, and against the events of its transaction, in both
 * directions.
 */
import { POST_TRANSITIONS, type PostStatus } from '../../entities/post.ts';
import type { EventRow, PostRow, Transaction } from './journal.ts';
import { ms } from './journal.ts';
import { hold, type Replica } from './replica.ts';

const INITIAL_STATUSES: readonly PostStatus[] = ['draft', 'scheduled', 'processing'];

/** Events about a draft that stays one. */
const OF_DRAFTS: ReadonlySet<string> = new Set(['post.approval_requested', 'post.rejected', 'post.approval_expired']);

/** One change of one post. */
export interface Step {
  readonly old: PostRow | null;
  readonly new: PostRow | null;
  /** The event of the change; null when it has none. */
  readonly event: EventRow | null;
  readonly reason: string | null;
}

/**
 * Pairs the changes of posts with the events of the same transaction.
 *
 * @throws Broken
 */
export function checkTransitions(replica: Replica, transaction: Transaction): Step[] {
  const events = transaction.flatMap((change) =>
    change.kind === 'events' && change.new?.name.startsWith('post.') && change.new.name !== 'post.metrics'
      ? [change.new]
      : [],
  );
  const left = new Set(events);
  const steps = transaction.flatMap((change) => {
    if (change.kind !== 'posts' || isAboutNumbers(change.old, change.new)) return [];
    const event = needsEvent(change.old, change.new)
      ? events.find((one) => left.has(one) && one.subject_id === change.new?.id)
      : undefined;
    if (event !== undefined) left.delete(event);
    const step = {
      old: change.old,
      new: change.new,
      event: event ?? null,
      reason: event?.payload.post?.reason ?? null,
    };
    checkStep(replica, step);
    return [step];
  });
  for (const event of left)
    hold(OF_DRAFTS.has(event.name), '3 transitions', () => `${event.name} without a change: ${JSON.stringify(event)}`);
  return steps;
}

/** Whether a change affects only the reads of its metrics, and what counts them. */
function isAboutNumbers(old: PostRow | null, present: PostRow | null): boolean {
  if (old === null || present === null) return false;
  const { next_read_at, read_lease_until, reads_thinned, counted } = present;
  const numbers = { next_read_at, read_lease_until, reads_thinned, counted };
  return JSON.stringify({ ...old, ...numbers }) === JSON.stringify(present);
}

/** Whether a change is a transition, and not only a note on the row. */
function needsEvent(old: PostRow | null, present: PostRow | null): boolean {
  if (old === null || present === null) return false;
  return old.status !== present.status || old.scheduled_for !== present.scheduled_for;
}

function checkStep(replica: Replica, { old, new: present, event, reason }: Step): void {
  const named = replica.nameOf((present ?? old) as PostRow);
  if (present === null) {
    hold(old?.status === 'draft', '3 transitions', () => `${named} was ${old?.status}, and its row is gone`);
    return;
  }
  if (old === null) {
    hold(INITIAL_STATUSES.includes(present.status), '3 transitions', () => `${named} was born ${present.status}`);
    return;
  }
  const describe = () =>
    `${named}: ${old.status} -> ${present.status}, ${old.scheduled_for} -> ${present.scheduled_for}, event ${event?.name ?? 'none'} ${reason ?? ''}`;
  hold(old.connection_id === present.connection_id && old.created_at === present.created_at, '3 transitions', describe);
  if (!needsEvent(old, present)) {
    hold(
      old.sent_at === present.sent_at && old.platform_post_id === present.platform_post_id,
      '3 transitions',
      describe,
    );
    return;
  }
  const ways = POST_TRANSITIONS.filter(({ from, to }) => from === old.status && to === present.status);
  const fits = ways.some((way) => way.event === (event?.name ?? null) && (way.reason ?? null) === reason);
  hold(fits, '3 transitions', describe);
  if (event?.name === 'post.rescheduled') {
    const { scheduledFor } = event.payload.post ?? {};
    hold(
      ms(scheduledFor ?? '') === ms(present.scheduled_for ?? ''),
      '3 transitions',
      () => `${describe()} says ${scheduledFor}`,
    );
  }
}
