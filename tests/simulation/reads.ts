/**
 * Checks every read of metrics against its schedule, and its event: one for the first read of each UTC day, and no
 * other.
 */
import { dueRead } from '../../services/metrics/read-times.ts';
import type { ReadRow, Transaction } from './journal.ts';
import { hold, type Replica } from './replica.ts';

const INVARIANT = '12 reads';

/** @throws Broken */
export function checkReads(replica: Replica, transaction: Transaction): void {
  const reported = new Set(
    transaction.flatMap((change) =>
      change.kind === 'events' && change.new?.name === 'post.metrics' ? [change.new.subject_id] : [],
    ),
  );
  for (const change of transaction) {
    if (change.kind !== 'metrics_reads') continue;
    hold(change.old === null || change.new === null, INVARIANT, () => 'a read was changed after it was made');
    // Retention removes reads, and never the newest one.
    if (change.new === null) {
      const newest = replica.reads.get(change.old?.post_id ?? '');
      hold(change.old?.number !== newest?.number, INVARIANT, () => 'the newest read of a post was removed');
      continue;
    }
    const read = change.new;
    checkRead(replica, read);
    const isFirstOfDay = dayOf(replica.reads.get(read.post_id)) !== dayOf(read);
    hold(
      reported.delete(read.post_id) === isFirstOfDay,
      INVARIANT,
      () => `read ${read.number} of a day: ${dayOf(read)}`,
    );
    replica.reads.set(read.post_id, read);
  }
  hold(reported.size === 0, INVARIANT, () => `post.metrics without a read: ${[...reported].join(', ')}`);
}

function checkRead(replica: Replica, read: ReadRow): void {
  const post = replica.posts.get(read.post_id);
  const before = replica.reads.get(read.post_id);
  const named = () =>
    `read ${read.number} at ${read.fetched_at} of ${post === undefined ? read.post_id : replica.nameOf(post)}`;
  hold(post?.status === 'sent', INVARIANT, () => `${named()}, which is ${post?.status}`);
  const due = dueRead(new Date(post?.sent_at ?? ''), new Date(read.fetched_at));
  hold(read.number === due, INVARIANT, () => `${named()}, when read ${due} was due`);
  hold(read.number > (before?.number ?? 0), INVARIANT, () => `${named()} after read ${before?.number}`);
  hold((read.likes ?? 0) >= (before?.likes ?? 0), INVARIANT, () => `${named()} has lost likes`);
}

function dayOf(read: ReadRow | undefined): string | undefined {
  return read === undefined ? undefined : new Date(read.fetched_at).toISOString().slice(0, 10);
}
