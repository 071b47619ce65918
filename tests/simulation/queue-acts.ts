/** Actions on the queue of a connection. */
import { type Act, expectStatus, somePost } from './act.ts';
import { ms } from './journal.ts';
import { called } from './posting.ts';
import { hold } from './replica.ts';
import { randomSlots, randomZone } from './tenants.ts';

export const setQueue: Act = async (stage, actor) => {
  const { sampler, observer, world } = stage;
  const living = observer.replica.living(actor.id);
  if (living.length === 0) return 'has no queue';
  const connection = sampler.pick(living);
  const change = sampler.weighted({ pause: 4, slots: 2, zone: 1, all: 1 });
  const body = {
    ...(change === 'slots' || change === 'all' ? { slots: randomSlots(sampler) } : {}),
    ...(change === 'zone' || change === 'all' ? { timezone: randomZone(sampler) } : {}),
    ...(change === 'pause' || change === 'all' ? { paused: !connection.queue_paused } : {}),
  };
  const isRefused = body.paused === false && observer.replica.isKeyStopped(actor.id, actor.keyIds.live);
  const { status, body: answer } = await called(stage, () =>
    world.rest(`PATCH /connections/${connection.id}/queue`, { key: actor.key, body }),
  );
  const action = `sets the queue of ${observer.replica.nameOfConnection(connection.id)} to ${JSON.stringify(body)}`;
  return expectStatus(action, status, [isRefused ? 403 : 200], answer);
};

/** Posts of a queue exchange their places. Now and then one that does not wait there is named, and nothing changes. */
export const order: Act = async (stage, actor) => {
  const { sampler, observer, world } = stage;
  const { replica } = observer;
  const inQueue = (id: string) =>
    replica.ofConnection(id).filter(({ queued, status }) => queued && status === 'scheduled');
  const connection = replica.living(actor.id).find(({ id }) => inQueue(id).length > 1);
  if (connection === undefined) return 'has no two posts in a queue';
  const posts = inQueue(connection.id)
    .toSorted((one, other) => one.text.localeCompare(other.text))
    .map((post) => ({ post, at: sampler.next() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ post }) => post);
  const named = posts.slice(0, sampler.chance(0.5) ? 2 : posts.length);
  const stranger = sampler.chance(0.1) ? somePost(stage, actor, ({ queued }) => !queued) : undefined;
  const ids = [...named, ...(stranger === undefined ? [] : [stranger])].map(({ id }) => id);
  const isAnyStopped = named.some(({ stop_id: stopId }) => stopId !== null);
  const placesOf = () =>
    ids.map((id) => {
      const post = replica.posts.get(id);
      // A paused queue holds a place. A stop holds a post at any place.
      const kind = `${post?.slot_at} ${!isAnyStopped && post?.held}`;
      return { id, time: ms(post?.scheduled_for ?? ''), kind };
    });
  const before = placesOf();
  const { status, body } = await called(stage, () =>
    world.rest(`PUT /connections/${connection.id}/queue/order`, { key: actor.key, body: { postIds: ids } }),
  );
  const names = named.map((post) => replica.nameOf(post)).join(' ');
  const action = `orders ${names}${stranger === undefined ? '' : ` and ${replica.nameOf(stranger)}`}`;
  const expected = replica.isKeyStopped(actor.id, actor.keyIds.live) ? 403 : stranger === undefined ? 200 : 400;
  const line = expectStatus(action, status, [expected], body);
  const after = placesOf();
  const describe = () => `${action}: ${JSON.stringify(before)} became ${JSON.stringify(after)}`;
  if (status === 200) hold(areShared(before, after) && isInOrder(after), '5 slots', describe);
  else hold(JSON.stringify(before) === JSON.stringify(after), '5 slots', describe);
  return line;
};

interface QueuePlace {
  readonly id: string;
  readonly time: number;
  /** Its slot, and whether the queue holds it. */
  readonly kind: string;
}

/** Whether the posts hold the same places: those without a slot may lie some milliseconds later. */
function areShared(before: readonly QueuePlace[], after: readonly QueuePlace[]): boolean {
  const [expected, given] = [before, after].map((places) =>
    places
      .map(({ kind }) => kind)
      .toSorted()
      .join(),
  );
  const times = timesOf(before);
  const delays = timesOf(after).map((time, index) => time - (times[index] ?? 0));
  return expected === given && delays.every((delay) => delay >= 0 && delay < times.length);
}

function timesOf(places: readonly QueuePlace[]): number[] {
  return places.map(({ time }) => time).toSorted((one, other) => one - other);
}

/** Posts go out by time, then by id. */
function isInOrder(places: readonly QueuePlace[]): boolean {
  return places.every(({ id, time }, index) => {
    const before = places[index - 1];
    return before === undefined || before.time < time || (before.time === time && before.id < id);
  });
}

/** The queue in the API equals the queue in the database. */
export const readQueue: Act = async (stage, actor) => {
  const { replica } = stage.observer;
  const living = replica.living(actor.id);
  if (living.length === 0) return 'has no queue';
  const { id, queue_paused: paused } = stage.sampler.pick(living);
  const { body } = await stage.world.rest(`GET /connections/${id}/queue`, { key: actor.key });
  const waiting = replica
    .ofConnection(id)
    .filter((post) => post.queued && (post.status === 'scheduled' || post.status === 'processing'))
    .map((post) => `${ms(post.scheduled_for ?? '')} ${post.id}`)
    .toSorted();
  const shown = body.queue.map((item: { id: string; scheduledFor: string }) => `${ms(item.scheduledFor)} ${item.id}`);
  const same = JSON.stringify([body.paused, shown.toSorted()]) === JSON.stringify([paused, waiting]);
  hold(same, '9 errors', () => `the queue of ${id} shows ${JSON.stringify(body)}, and holds ${waiting.join()}`);
  return `reads the queue of ${replica.nameOfConnection(id)}: ${waiting.length} wait`;
};
