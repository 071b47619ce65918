/**
 * Changes the order of posts in the queue of a connection (docs/contract/scheduling.md#order-of-a-queue). The posts
 * exchange the places that they hold. Of a concurrent order, cancel, move and claim by a worker, one wins. A post that is held
 * after a restore may have gone out, so it keeps its place.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { records, statement } from '../../entities/statement.ts';
import { type Tables, tables } from '../../entities/tables.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Caller } from '../access/caller.ts';
import { lockConnection } from '../connections/lock-connection.ts';
import type { Context } from '../context.ts';
import { rescheduledEvent } from '../events/post-event.ts';
import { storeEvents } from '../events/store-events.ts';
import type { WithRestoreWatch } from '../restores/restore-watch.ts';
import { refuseStopped } from '../stops/find-stop.ts';
import { timestamp } from '../timestamp.ts';
import { noPost } from './lock-post.ts';
import { reach } from './reachable-posts.ts';

const COLUMNS = [
  'id',
  'account_id',
  'profile_id',
  'connection_slug',
  'mode',
  'text',
  'tags',
  'created_at',
  'scheduled_for',
  'slot_at',
  'held',
  'stop_id',
] as const;

type QueuedRow = Pick<Tables['posts'], (typeof COLUMNS)[number]>;

/** A post, the post whose place it takes, and when it goes out there. */
interface Exchange {
  readonly row: QueuedRow;
  readonly place: QueuedRow;
  readonly time: number;
}

// Two posts may not hold one slot at any moment, so all slots are left before any is taken.
const leaveSlots = statement('leave the slots of queued posts', {
  parameters: { ids: 'uuid[]' },
  sql: ({ ids }) => `update posts set slot_at = null where id = any(${ids})`,
});

// A new place is a new time: the repeats that the platform caused start again, as they do when one post is moved.
const takePlaces = statement('give queued posts the places of others', {
  parameters: { places: records({ id: 'uuid', time: 'timestamptz', slot: 'timestamptz?', held: 'boolean' }) },
  sql: ({ places }) => `
    update posts p set scheduled_for = places.time, slot_at = places.slot, held = places.held or p.stop_id is not null, repeats = 0,
      first_due_at = null
    from ${places} where p.id = places.id`,
});

/**
 * Emits post.rescheduled (`requeued`) for each post whose time changes.
 *
 * @param postIds without repeats, in the order in which the posts are to go out
 * @throws ServiceError not_found (the connection or a post), invalid_request (a post does not wait in this queue),
 *   post_not_cancellable (a post is being sent, or held after a restore), stopped; then nothing has changed
 */
export async function orderQueue(
  context: Context & WithRestoreWatch,
  caller: Caller,
  connectionId: string,
  postIds: readonly string[],
): Promise<void> {
  // A restore that no worker has noticed yet holds posts first.
  await context.restores.check();
  await context.db.em().transactional(async (em: SqlEntityManager) => {
    const { slug } = await lockConnection(em, caller, connectionId);
    const queue = { id: connectionId, slug, heldUntil: await context.restores.confirm(em) };
    const rows = await lockQueued(em, caller, queue, postIds);
    await refuseStopped(em, caller);
    const byId = new Map(rows.map((row) => [row.id, row]));
    const ordered = postIds.flatMap((id) => byId.get(id) ?? []);
    if (ordered.length < postIds.length) throw await refusal(em, caller, queue, postIds, byId);
    await exchange(context, em, exchangesOf(ordered));
  });
}

interface Queue {
  /** Id of its connection. */
  readonly id: string;
  readonly slug: string;
  /** Posts that were due by then are held after a restore. */
  readonly heldUntil: Date;
}

/**
 * Locks those of the posts that wait in the queue, in the order of their ids, as a stop does. It leaves out posts that are being
 * sent: the worker that settles them locks the connection after the post. It also leaves out posts that are held after a restore.
 */
async function lockQueued(
  em: SqlEntityManager,
  caller: Caller,
  { id: connectionId, heldUntil }: Queue,
  postIds: readonly string[],
): Promise<QueuedRow[]> {
  return tables(em)
    .selectFrom('posts')
    .select(COLUMNS)
    .where((post) => post.and({ ...reach(caller), connection_id: connectionId, status: 'scheduled', queued: true }))
    .where('id', 'in', postIds)
    .where('scheduled_for', '>', heldUntil.toISOString())
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
}

/**
 * The posts whose place changes. Places are taken earliest first, and posts go out by time, then by id. Of places without a slot
 * that fall on one instant, as those of posts that the plan defers, the later ones move by a millisecond where the ids say otherwise.
 */
function exchangesOf(ordered: readonly QueuedRow[]): Exchange[] {
  const places = ordered.toSorted(
    (one, other) =>
      timeOf(one) - timeOf(other) || Number(hasSlot(other)) - Number(hasSlot(one)) || (one.id < other.id ? -1 : 1),
  );
  const exchanges: Exchange[] = [];
  for (const [index, row] of ordered.entries()) {
    const place = places[index] ?? row;
    const before = exchanges.at(-1);
    const earliest = before === undefined ? 0 : before.time + (before.row.id < row.id ? 0 : 1);
    exchanges.push({ row, place, time: hasSlot(place) ? timeOf(place) : Math.max(timeOf(place), earliest) });
  }
  return exchanges.filter(({ row, place, time }) => place !== row || time !== timeOf(row));
}

function hasSlot({ slot_at: slot }: QueuedRow): boolean {
  return slot !== null;
}

async function exchange(context: Context, em: SqlEntityManager, exchanges: readonly Exchange[]): Promise<void> {
  if (exchanges.length === 0) return;
  await leaveSlots(em, { ids: exchanges.map(({ row }) => row.id) });
  await takePlaces(em, {
    places: exchanges.map(({ row: { id }, place, time }) => ({
      id,
      time: new Date(time),
      slot: place.slot_at,
      // A paused queue holds the place; a stop holds the post, wherever it is.
      held: place.held && place.stop_id === null,
    })),
  });
  const moved = exchanges.filter(({ row, time }) => timeOf(row) !== time);
  const events = moved.map(({ row, time }) => rescheduledEvent(context, row, new Date(time), 'requeued'));
  await storeEvents(em, events);
}

function timeOf({ scheduled_for: time }: Pick<QueuedRow, 'scheduled_for'>): number {
  return new Date(time ?? 0).getTime();
}

/** The error for the first post of the list that was not locked. */
async function refusal(
  em: SqlEntityManager,
  caller: Caller,
  connection: Queue,
  postIds: readonly string[],
  locked: ReadonlyMap<string, QueuedRow>,
): Promise<ServiceError> {
  const index = postIds.findIndex((id) => !locked.has(id));
  const postId = postIds[index] ?? '';
  const post = await tables(em)
    .selectFrom('posts')
    .select(['status', 'queued', 'connection_id', 'scheduled_for'])
    .where((row) => row.and({ ...reach(caller), id: postId }))
    .executeTakeFirst();
  if (post === undefined) return noPost(postId);
  const { status, queued } = post;
  const isHere = queued && post.connection_id === connection.id;
  const { heldUntil } = connection;
  if (isHere && status === 'scheduled' && timeOf(post) <= heldUntil.getTime()) {
    const message = `The post ${postId} was due by ${timestamp(heldUntil)}, when a backup was restored, and may have gone out already: it is held, so the queue keeps its order. Leave the post out, cancel it, or ask the operator of this install to decide (npm run carillon -- restore settle).`;
    return new ServiceError('post_not_cancellable', message);
  }
  // One that waits again was being sent when the posts were locked.
  if (isHere && (status === 'processing' || status === 'scheduled')) {
    const message = `A worker is sending the post ${postId}, so the queue keeps its order. Leave the post out, or read the queue again in a few seconds.`;
    return new ServiceError('post_not_cancellable', message);
  }
  const where = isHere || status !== 'scheduled' ? '' : queued ? ' in another queue' : ' at a time set by hand';
  const message = `postIds.${index}: the post ${postId} is ${status}${where}, and does not wait in the queue of the connection "${connection.slug}". Name posts that GET /connections/${connection.id}/queue lists.`;
  return new ServiceError('invalid_request', message);
}
