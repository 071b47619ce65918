/** Actions on existing objects: publish, retry, delete, edit, queues and connections, each with its expected answer. */
import type { PostRow } from './journal.ts';
import { ms } from './journal.ts';
import { asks, hold, markerOf } from './replica.ts';
import { called, nowOf, randomDirective, randomTime, type Stage } from './posting.ts';
import { type Actor, connect, randomSlots, randomZone } from './tenants.ts';

type Act = (stage: Stage, actor: Actor) => Promise<string>;

const DIED = [200, 500];

function isLiving({ observer }: Stage, post: PostRow): boolean {
  return observer.replica.connections.get(post.connection_id)?.deleted_at === null;
}

/** One of the actor's posts that matches; undefined when none does. */
function somePost({ observer, sampler }: Stage, actor: Actor, like: (post: PostRow) => boolean): PostRow | undefined {
  const posts = observer.replica.ofTenant(actor.id).filter(like);
  return posts.length === 0 ? undefined : sampler.pick(posts);
}

function expectStatus(action: string, status: number, expected: readonly number[], body: unknown): string {
  hold(
    expected.includes(status),
    '9 errors',
    () => `${action} -> ${status} ${JSON.stringify(body)}, not ${expected.join()}`,
  );
  return `${action} -> ${status}`;
}

const publish: Act = async (stage, actor) => {
  const draft = somePost(stage, actor, ({ status }) => status === 'draft');
  if (draft === undefined) return 'has no draft';
  const body = randomTime(stage);
  const path = `POST /posts/${draft.id}/publish` as const;
  const { status, body: answer } = await called(stage, () =>
    stage.sampler.chance(0.4)
      ? stage.replays.call(path, actor.key, body, draft.text)
      : stage.world.rest(path, { key: actor.key, body }),
  );
  const action = `publishes ${stage.observer.replica.nameOf(draft)} ${JSON.stringify(body)}`;
  return expectStatus(action, status, isLiving(stage, draft) ? DIED : [400], answer);
};

const retry: Act = async (stage, actor) => {
  const day = nowOf(stage) - 86_400_000;
  const fresh = somePost(stage, actor, ({ status, created_at: at }) => status === 'failed' && ms(at) > day);
  const failed = fresh ?? somePost(stage, actor, ({ status }) => status === 'failed');
  if (failed === undefined) return 'has no failed post';
  const force = stage.sampler.chance(0.5);
  const body = { ...randomTime(stage), ...(force ? { force } : {}) };
  const { status, body: answer } = await called(stage, () =>
    stage.world.rest(`POST /posts/${failed.id}/retry`, { key: actor.key, body }),
  );
  const refused = !isLiving(stage, failed) || (failed.error_code === 'outcome_unknown' && !force);
  const action = `retries ${stage.observer.replica.nameOf(failed)} (${failed.error_code}) ${JSON.stringify(body)}`;
  // The stored answer of its first request does not change, although the post has.
  if (status === 200) await stage.replays.again(stage.sampler, stage.observer.replica, markerOf(failed.text));
  return expectStatus(action, status, refused ? [400] : DIED, answer);
};

const remove: Act = async (stage, actor) => {
  const state = stage.sampler.weighted({
    scheduled: 4,
    sent: 4,
    draft: 1,
    failed: 1,
    processing: 1,
    cancelled: 1,
    deleted: 1,
  });
  const post = somePost(stage, actor, ({ status }) => status === state);
  if (post === undefined) return `has no post that is ${state}`;
  const living = isLiving(stage, post);
  const { status, body } = await called(stage, () => stage.world.rest(`DELETE /posts/${post.id}`, { key: actor.key }));
  const present = stage.observer.replica.posts.get(post.id);
  const action = `deletes ${stage.observer.replica.nameOf(post)}, which is ${state}`;
  const refused =
    state === 'failed' || state === 'processing' || (state === 'sent' && (!living || asks(post.text, 'refuse-delete')));
  const nextStatus = { scheduled: 'cancelled', sent: 'deleted', draft: undefined }[state as string];
  hold(
    present?.status === (refused ? state : state === 'draft' ? undefined : (nextStatus ?? state)),
    '9 errors',
    () => `${action}, and is ${present?.status} now`,
  );
  hold((status === 200) === !refused, '9 errors', () => `${action} -> ${status} ${JSON.stringify(body)}`);
  return `${action} -> ${status}`;
};

/** A key that has to ask wants to publish, retry or move a post, which becomes a draft that waits. */
const ask: Act = async (stage, actor) => {
  const verbs = { draft: 'publish', failed: 'retry', scheduled: 'reschedule' } as const;
  const state = stage.sampler.weighted({ draft: 3, failed: 4, scheduled: 2 });
  const post = somePost(stage, actor, ({ status, error_code: code }) => status === state && code !== 'outcome_unknown');
  if (post === undefined) return `has no post that is ${state} to ask for`;
  const when = randomTime(stage);
  const body = state === 'scheduled' && Object.keys(when).length === 0 ? { queue: true } : when;
  const { status, body: answer } = await called(stage, () =>
    stage.world.rest(`POST /posts/${post.id}/${verbs[state]}`, { key: actor.askingKey, body }),
  );
  const action = `asks to ${verbs[state]} ${stage.observer.replica.nameOf(post)} ${JSON.stringify(body)}`;
  return expectStatus(action, status, isLiving(stage, post) ? DIED : [400], answer);
};

/** A person decides about a draft that waits, or about one that no longer does. */
const decide: Act = async (stage, actor) => {
  const post = somePost(stage, actor, ({ status, approval_id: id }) => status === 'draft' && id !== null);
  if (post === undefined) return 'has nothing to decide';
  const verb = stage.sampler.weighted({ approve: 4, reject: 1 });
  const { status, body } = await called(stage, () =>
    stage.world.rest(`POST /posts/${post.id}/${verb}`, {
      key: actor.key,
      body: verb === 'reject' ? { reason: 'Not like this.' } : {},
    }),
  );
  const action = `${verb}s ${stage.observer.replica.nameOf(post)}`;
  // Refused by the plan or the queue, or decided already: it stays as it is.
  return expectStatus(action, status, [...DIED, 400, 402, 403, 409], body);
};

const edit: Act = async (stage, actor) => {
  const draft = somePost(stage, actor, (post) => post.status === 'draft');
  if (draft === undefined) return 'has no draft';
  const text = `Dong ${markerOf(draft.text)}${randomDirective(stage.sampler)}`;
  const { status, body } = await called(stage, () =>
    stage.world.rest(`PATCH /posts/${draft.id}`, { key: actor.key, body: { text } }),
  );
  const action = `edits ${stage.observer.replica.nameOf(draft)} to ${text}`;
  return expectStatus(action, status, isLiving(stage, draft) ? [200] : [400], body);
};

const queue: Act = async (stage, actor) => {
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
  const { status, body: answer } = await called(stage, () =>
    world.rest(`PATCH /connections/${connection.id}/queue`, { key: actor.key, body }),
  );
  const action = `sets the queue of ${observer.replica.nameOfConnection(connection.id)} to ${JSON.stringify(body)}`;
  return expectStatus(action, status, [200], answer);
};

/** Posts of a queue exchange their places. Now and then one that does not wait there is named, and nothing changes. */
const order: Act = async (stage, actor) => {
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
  const placesOf = () =>
    ids.map((id) => replica.posts.get(id)).map((post) => `${post?.scheduled_for} ${post?.slot_at} ${post?.held}`);
  const before = placesOf();
  const { status, body } = await called(stage, () =>
    world.rest(`PUT /connections/${connection.id}/queue/order`, { key: actor.key, body: { postIds: ids } }),
  );
  const names = named.map((post) => replica.nameOf(post)).join(' ');
  const action = `orders ${names}${stranger === undefined ? '' : ` and ${replica.nameOf(stranger)}`}`;
  const line = expectStatus(action, status, [stranger === undefined ? 200 : 400], body);
  const after = placesOf();
  const expected = status === 200 ? before.toSorted() : before;
  const given = status === 200 ? after.toSorted() : after;
  hold(expected.join() === given.join(), '5 slots', () => `${action}: ${before.join()} became ${after.join()}`);
  const times = after.map((place) => ms(place.split(' ')[0] ?? ''));
  const isOrdered = times.every((time, index) => index === 0 || (times[index - 1] ?? 0) <= time);
  hold(status !== 200 || isOrdered, '5 slots', () => `${action}: they go out ${after.join()}`);
  return line;
};

const disconnect: Act = async (stage, actor) => {
  const living = stage.observer.replica.living(actor.id);
  if (living.length < 2) return 'keeps its last connection';
  // The hard case is an interrupted send, which no process can finish any more.
  const cutOff = living.filter(({ id }) =>
    stage.observer.replica.ofConnection(id).some((post) => post.status === 'processing'),
  );
  const { id } = stage.sampler.pick(cutOff.length > 0 && stage.sampler.chance(0.8) ? cutOff : living);
  const { status, body } = await called(stage, () => stage.world.rest(`DELETE /connections/${id}`, { key: actor.key }));
  return expectStatus(`deletes ${stage.observer.replica.nameOfConnection(id)}`, status, [200], body);
};

const link: Act = async (stage, actor) => {
  if (stage.observer.replica.living(actor.id).length >= 5) return 'has connections enough';
  const status = await connect(stage.world, stage.sampler, actor.key);
  await stage.observer.look();
  return expectStatus('connects a sandbox', status, [200], null);
};

/** The queue in the API equals the queue in the database. */
const read: Act = async (stage, actor) => {
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

const replay: Act = async (stage) => {
  const action = await stage.replays.again(stage.sampler, stage.observer.replica);
  await stage.observer.look();
  return action ?? 'has nothing to send again';
};

export const ACTS = { publish, retry, ask, decide, remove, edit, queue, order, disconnect, link, read, replay };
