/** Actions on existing objects: posts, stops and connections, each with its expected answer. */
import { platformOf } from '../../platforms/registry.ts';
import { ms } from './journal.ts';
import { hold, markerOf } from './replica.ts';
import { called, checkRules, nowOf, randomDirective, randomTime } from './posting.ts';
import { type Act, DIED, expectStatus, isLiving, somePost } from './act.ts';
import { order, readQueue, setQueue } from './queue-acts.ts';
import { connect } from './tenants.ts';

const publish: Act = async (stage, actor) => {
  const draft = somePost(stage, actor, ({ status }) => status === 'draft');
  if (draft === undefined) return 'has no draft';
  const body = randomTime(stage);
  const path = `POST /posts/${draft.id}/publish` as const;
  const isRuled = stage.sampler.chance(0.2);
  const key = isRuled ? actor.ruledKey : actor.key;
  const { status, body: answer } = await called(stage, () =>
    stage.sampler.chance(0.4) ? stage.replays.call(path, key, body, draft.text) : stage.world.rest(path, { key, body }),
  );
  if (isRuled && status === 200) checkRules(stage, actor, body, [answer.result]);
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
  const hasDelete = platformOf(stage.world.context.platforms, post.platform_id).remove !== undefined;
  const isKept = !living || !hasDelete || stage.observer.replica.asks(post, 'refuse-delete');
  const refused = state === 'failed' || state === 'processing' || (state === 'sent' && isKept);
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

const reschedule: Act = async (stage, actor) => {
  const { replica } = stage.observer;
  const post = somePost(stage, actor, ({ status }) => status === 'scheduled');
  if (post === undefined) return 'has no post to reschedule';
  const when = randomTime(stage);
  const body = Object.keys(when).length === 0 ? { queue: true } : when;
  const { status, body: answer } = await called(stage, () =>
    stage.world.rest(`POST /posts/${post.id}/reschedule`, { key: actor.key, body }),
  );
  const action = `reschedules ${replica.nameOf(post)} ${JSON.stringify(body)}`;
  const line = expectStatus(action, status, [200], answer);
  const { result } = answer;
  const present = replica.posts.get(post.id);
  const isAsAnswered = ms(present?.scheduled_for ?? '') === ms(result.scheduledFor) && present?.status === 'scheduled';
  hold(isAsAnswered, '9 errors', () => `${action} -> ${JSON.stringify(result)}`);
  const isMoved = present?.scheduled_for !== post.scheduled_for || present?.queued !== post.queued;
  hold(result.error === null || !isMoved, '9 errors', () => `${action} -> ${JSON.stringify(result)}, and it has moved`);
  return line;
};

/** A new post or draft takes the place of a draft. */
const replace: Act = async (stage, actor) => {
  const { replica } = stage.observer;
  const draft = somePost(stage, actor, (post) => post.status === 'draft' && isLiving(stage, post));
  if (draft === undefined) return 'has no draft to replace';
  const slug = replica.connections.get(draft.connection_id)?.slug;
  const text = `Deng ${markerOf(draft.text)}`;
  const body = {
    text,
    connectionSlugs: [slug],
    replaces: [draft.id],
    ...(stage.sampler.chance(0.5) && { isDraft: true }),
  };
  const { status, body: answer } = await called(stage, () => stage.world.rest('POST /posts', { key: actor.key, body }));
  const action = `replaces ${replica.nameOf(draft)} by ${text}`;
  const line = expectStatus(action, status, DIED, answer);
  const isStored = status === 500 || answer.results[0].postId !== null;
  hold(replica.posts.has(draft.id) === !isStored, '9 errors', () => `${action} -> ${JSON.stringify(answer)}`);
  return line;
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

const stop: Act = async (stage, actor) => {
  const { sampler, observer, world } = stage;
  const target = sampler.weighted({ account: 3, live: 3, test: 1, asking: 2 });
  const body = target === 'account' ? {} : { keyId: actor.keyIds[target] };
  const id = target === 'account' ? actor.id : actor.keyIds[target];
  const isStoppedAlready = observer.replica.stopsOf(actor.id).some((one) => one.target_id === id);
  const { status, body: answer } = await called(stage, () => world.rest('POST /stops', { key: actor.key, body }));
  return expectStatus(`stops ${target}`, status, [isStoppedAlready ? 409 : 201], answer);
};

/** What the stop held goes on, unless another stop is about it too, or is cancelled. */
const release: Act = async (stage, actor) => {
  const { sampler, observer, world } = stage;
  const { replica } = observer;
  const active = replica.stopsOf(actor.id);
  if (active.length === 0) return 'has nothing to release';
  const { id, kind } = sampler.pick(active);
  const posts = sampler.weighted({ send: 2, drop: 1 });
  const held = replica.ofTenant(actor.id).filter(({ status, stop_id: by }) => status === 'scheduled' && by === id);
  const { status, body } = await called(stage, () =>
    world.rest(`POST /stops/${id}/release`, { key: actor.key, body: { posts } }),
  );
  const action = `releases the stop of its ${kind}, and wants ${held.length} posts to ${posts}`;
  for (const { id: postId } of held) {
    const post = replica.posts.get(postId);
    const nextStatus = posts === 'send' ? 'scheduled' : 'cancelled';
    hold(post?.status === nextStatus && post.stop_id !== id, '11 stops', () => `${action}: ${JSON.stringify(post)}`);
  }
  return expectStatus(action, status, [200], body);
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
  const taken = stage.observer.replica.living(actor.id).map(({ platform_id: platformId }) => platformId);
  const { platformId, status } = await connect(stage, actor.key, taken);
  await stage.observer.look();
  return expectStatus(`connects to ${platformId}`, status, [200], null);
};

const replay: Act = async (stage) => {
  const action = await stage.replays.again(stage.sampler, stage.observer.replica);
  await stage.observer.look();
  return action ?? 'has nothing to send again';
};

export const ACTS = {
  publish,
  retry,
  ask,
  reschedule,
  replace,
  decide,
  remove,
  edit,
  queue: setQueue,
  order,
  stop,
  release,
  disconnect,
  link,
  read: readQueue,
  replay,
};
