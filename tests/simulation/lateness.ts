/** Checks when posts are sent and where late ones move, by the instants of each transaction. */
import type { PostRow, Transaction } from './journal.ts';
import { ms } from './journal.ts';
import { hold, type Replica } from './replica.ts';
import { expectedSlot } from './slots.ts';
import type { Step } from './transitions.ts';

const MINUTE_MS = 60_000;
const TOLERATED_MS = 5 * MINUTE_MS;
const DAY_MS = 86_400_000;

/** A change of a waiting post. */
type Move = Step & { readonly old: PostRow; readonly new: PostRow };

const lateBy = (post: PostRow, at: number) => at - ms(post.scheduled_for ?? '');

/** When a post was due, before any repeat or catch-up. */
const dueOf = (post: PostRow) => ms(post.first_due_at ?? post.scheduled_for ?? '');

/** @param at instant of the transaction; the mirror is in the state after it */
export function checkLateness(replica: Replica, steps: readonly Step[], at: number): void {
  const moves = steps.filter((step): step is Move => step.old?.status === 'scheduled' && step.new !== null);
  const caughtUp = new Set<string>();
  for (const move of moves) {
    if (move.new.status === 'processing') checkClaim(replica, move, at, caughtUp);
    if (move.reason === 'catch_up') checkCatchUp(replica, move, moves, at);
    if (move.new.status === 'failed') checkMissed(replica, move, at);
  }
}

function checkClaim(replica: Replica, { old }: Move, at: number, caughtUp: Set<string>): void {
  const late = lateBy(old, at);
  const describe = () => `${replica.nameOf(old)}, for ${old.scheduled_for}, was begun at ${new Date(at).toISOString()}`;
  hold(late >= 0, '4 early', describe);
  if (late <= TOLERATED_MS) return;
  hold(!old.queued, '4 late', () => `${describe()}, far from its slot`);
  hold(at - dueOf(old) <= DAY_MS, '4 late', describe);
  hold(!caughtUp.has(old.connection_id), '4 late', () => `${describe()}, as the second of its catch-up`);
  caughtUp.add(old.connection_id);
  const left = replica
    .ofConnection(old.connection_id)
    .find((post) => post.status === 'scheduled' && !post.queued && !post.held && lateBy(post, at) > TOLERATED_MS);
  hold(
    left === undefined,
    '4 late',
    () => `${describe()}, and ${replica.nameOf(left as PostRow)} was late too and stays`,
  );
}

/** Only a post behind another late post is spaced out. */
function checkCatchUp(replica: Replica, move: Move, moves: readonly Move[], at: number): void {
  const { old } = move;
  const describe = () => `${replica.nameOf(old)} was moved from ${old.scheduled_for} to ${move.new.scheduled_for}`;
  const late = lateBy(old, at);
  hold(!old.queued && late > TOLERATED_MS && at - dueOf(old) <= DAY_MS, '4 late', describe);
  hold(ms(move.new.first_due_at ?? '') === dueOf(old), '4 late', describe);
  const wait = -lateBy(move.new, at);
  hold(wait >= MINUTE_MS && wait % MINUTE_MS === 0, '4 late', describe);
  const first = moves.find(
    (other) =>
      other !== move &&
      other.reason !== 'catch_up' &&
      other.old.connection_id === old.connection_id &&
      !other.old.queued &&
      lateBy(other.old, at) >= late,
  );
  hold(first !== undefined, '4 late', () => `${describe()}, behind nothing`);
}

function checkMissed(replica: Replica, { old, new: present }: Move, at: number): void {
  const describe = () => `${replica.nameOf(old)}, for ${old.scheduled_for}, failed with ${present.error_code}`;
  if (present.error_code === 'schedule_missed') hold(!old.queued && at - dueOf(old) > DAY_MS, '4 late', describe);
  else if (present.error_code === 'slot_missed') hold(old.queued && lateBy(old, at) >= 0, '4 late', describe);
  else hold(present.error_code === 'connection_limit_exceeded', '4 late', describe);
}

/**
 * Slots that posts of a queue leave in a transaction without getting another time yet: they exchange their places.
 *
 * @throws Broken when one is not held again at the end
 */
export function exchangedSlots(transaction: Transaction): ReadonlySet<string> {
  const rows = transaction.flatMap((change) => (change.kind === 'posts' ? [change] : []));
  const leaves = (old: PostRow | null, present: PostRow | null) =>
    present?.status === 'scheduled' &&
    present.slot_at === null &&
    // A post that is moved out of the queue may get the same time.
    present.queued &&
    old?.scheduled_for === present.scheduled_for;
  const left = rows.flatMap(({ old, new: present }) => (leaves(old, present) ? slotOf(old) : []));
  const last = new Map(rows.map(({ new: present }) => [present?.id, present]));
  const held = new Set([...last.values()].flatMap((row) => slotOf(row ?? null)));
  const lost = left.filter((slot) => !held.has(slot));
  hold(lost.length === 0, '5 slots', () => `nothing holds ${lost.join()} after an exchange`);
  return new Set(left);
}

function slotOf(post: PostRow | null): string[] {
  if (post?.status !== 'scheduled' || post.slot_at === null) return [];
  return [`${post.connection_id} ${ms(post.slot_at)}`];
}

/**
 * Checks a slot that is assigned, or found to be missing, before the mirror applies the change.
 *
 * @param exchanged slots that posts exchange in this transaction
 */
export function checkSlot(
  replica: Replica,
  old: PostRow | null,
  present: PostRow | null,
  at: number,
  exchanged: ReadonlySet<string>,
): void {
  if (present === null || slotOf(present).some((slot) => exchanged.has(slot))) return;
  const given = present.status === 'scheduled' && present.slot_at !== null && present.slot_at !== old?.slot_at;
  const missed = present.status === 'failed' && old?.status === 'scheduled' && present.error_code === 'slot_missed';
  if (!given && !missed) return;
  // Under a policy a request takes the first slot that this allows (policies.ts).
  if (present.policy_id !== null && old?.status !== 'scheduled') return;
  const connection = replica.connections.get(present.connection_id);
  if (connection === undefined) return;
  // A queued post that goes into the queue again moves on: the slot that it has is taken.
  const expected = expectedSlot(replica, connection, at, '');
  const actual = given ? ms(present.slot_at ?? '') : null;
  const words = (instant: number | null) => (instant === null ? 'none' : new Date(instant).toISOString());
  hold(
    expected === actual,
    '5 slots',
    () =>
      `${replica.nameOf(present)} got the slot ${words(actual)} at ${new Date(at).toISOString()}, and the next free one of ${connection.timezone} was ${words(expected)}`,
  );
}
