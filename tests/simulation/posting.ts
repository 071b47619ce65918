/**
 * Actions that create posts: to one connection or several, now, at a time, into the queue, as a draft, by the dozen.
 */
import type { RestAnswer, World } from '../harness/world.ts';
import type { Sampler } from './sampler.ts';
import type { Faults } from './faults.ts';
import { hold } from './replica.ts';
import type { Platforms } from './platforms.ts';
import type { Observer } from './observer.ts';
import type { Replays } from './replays.ts';
import { ASKED_WORD, checkPolicy } from './policies.ts';
import { expectedSlot } from './slots.ts';
import type { Actor } from './tenants.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Everything that an action may need. */
export interface Stage {
  readonly world: World;
  readonly sampler: Sampler;
  readonly observer: Observer;
  readonly faults: Faults;
  readonly platforms: Platforms;
  readonly replays: Replays;
}

export interface Result {
  readonly connectionSlug: string;
  readonly status: string;
  readonly postId: string | null;
  readonly scheduledFor: string | null;
  readonly error: { readonly code: string } | null;
}

/** The current instant, in milliseconds. */
export function nowOf({ world }: Stage): number {
  return world.clock.now().getTime();
}

/** A sandbox directive for one post in four, to append to its text. */
export function randomDirective(sampler: Sampler): string {
  if (sampler.chance(0.75)) return '';
  return ` [[${sampler.pick(['reject', 'unavailable', 'lost', 'lost', 'vanish', 'reconnect', 'refuse-delete'])}]]`;
}

/** When a post is sent, as fields of a body. */
export function randomTime({ world, sampler }: Stage): object {
  const way = sampler.weighted({ now: 30, time: 30, queue: 30 });
  if (way === 'now') return {};
  if (way === 'queue') return { queue: true };
  const time = new Date(world.clock.now().getTime() + sampler.spread(MINUTE_MS, 30 * DAY_MS - 1));
  // Round times collide, so several posts of a connection are due at the same instant.
  if (sampler.chance(0.5)) time.setUTCMinutes(time.getUTCMinutes() + 1, 0, 0);
  const latest = world.clock.now().getTime() + 30 * DAY_MS;
  return { scheduledFor: new Date(Math.min(time.getTime(), latest)).toISOString() };
}

/** Waits until every send of a request has ended, and checks its effects. */
export async function settled({ faults, observer }: Stage): Promise<void> {
  await faults.drained();
  await observer.look();
}

/** Calls the API, and asserts that the only internal error is that of a dead process. */
export async function called(stage: Stage, call: () => Promise<RestAnswer>): Promise<RestAnswer> {
  const before = stage.faults.hits;
  const answer = await call();
  await settled(stage);
  const died = stage.faults.hits > before;
  hold((answer.status >= 500 && answer.status !== 502 && answer.status !== 503) === died, '9 errors', () => {
    return `${answer.status} ${JSON.stringify(answer.body)}, ${died ? 'although' : 'and no'} process died`;
  });
  return answer;
}

/** Writes one text to up to three connections. */
export async function write(stage: Stage, actor: Actor, marker: string): Promise<string> {
  const { sampler, observer } = stage;
  const by = sampler.weighted({ live: 8, test: 1, ruled: 1 });
  const living = observer.replica
    .living(actor.id)
    // A test key has the sandbox only.
    .filter(({ platform_id: platformId }) => by !== 'test' || platformId === 'sandbox')
    .map(({ slug }) => slug);
  if (living.length === 0) return 'has no connection to write to';
  const slugs = [...new Set(Array.from({ length: sampler.chance(0.3) ? 3 : 1 }, () => sampler.pick(living)))];
  const word = sampler.chance(0.1) ? ASKED_WORD : 'Ding';
  const text = `${word} ${marker}${randomDirective(sampler)}`;
  const when = sampler.chance(0.12) ? { isDraft: true } : randomTime(stage);
  const body = { text, connectionSlugs: slugs, ...when };
  const key = { live: actor.key, test: actor.testKey, ruled: actor.ruledKey }[by];
  const { status, body: answer } = await called(stage, () =>
    sampler.chance(0.4)
      ? stage.replays.call('POST /posts', key, body, text)
      : stage.world.rest('POST /posts', { key, body }),
  );
  hold(
    status === 200 || status === 500,
    '9 errors',
    () => `${status} ${JSON.stringify(answer)} to ${JSON.stringify(body)}`,
  );
  const results: Result[] = status === 200 ? answer.results : [];
  const request = { keyId: actor.keyIds[by], slugs: slugs.length };
  for (const result of results) checkResult(stage, actor, result, request);
  if (by === 'ruled') checkRules(stage, actor, when, results);
  return `writes ${text} ${JSON.stringify(when)} to ${slugs.join(' ')} -> ${status} ${results.map(wordOf).join(' ')}`;
}

/** Schedules more posts for one instant than the free plan sends in a day. */
export async function flood(stage: Stage, actor: Actor, nextMarker: () => string): Promise<string> {
  const { world, sampler, observer } = stage;
  const [connection] = observer.replica.active(actor.id, nowOf(stage));
  const slug = observer.replica.connections.get(connection ?? '')?.slug ?? observer.replica.living(actor.id)[0]?.slug;
  if (slug === undefined) return 'has no connection to flood';
  const count = sampler.int(90, 130);
  const time = new Date(nowOf(stage) + sampler.spread(MINUTE_MS, DAY_MS)).toISOString();
  for (let number = 0; number < count; number += 1) {
    const body = { text: `Ding ${nextMarker()}`, connectionSlugs: [slug], scheduledFor: time };
    await world.rest('POST /posts', { key: actor.key, body });
  }
  await settled(stage);
  return `schedules ${count} posts to ${slug} for ${time}`;
}

/** Asks for more posts within two days than a policy allows in one. */
export async function burst(stage: Stage, actor: Actor, nextMarker: () => string): Promise<string> {
  const { world, sampler, observer } = stage;
  const slugs = observer.replica.living(actor.id).map(({ slug }) => slug);
  if (slugs.length === 0) return 'has no connection for a burst';
  const from = nowOf(stage) + sampler.spread(MINUTE_MS, 27 * DAY_MS);
  const words: string[] = [];
  for (let left = sampler.int(3, 8); left > 0; left -= 1) {
    const time = new Date(from + sampler.int(0, 1.5 * DAY_MS));
    const when = sampler.chance(0.3) ? { queue: true } : { scheduledFor: time.toISOString() };
    const body = { text: `Ding ${nextMarker()}`, connectionSlugs: [sampler.pick(slugs)], ...when };
    const { body: answer } = await called(stage, () => world.rest('POST /posts', { key: actor.ruledKey, body }));
    const results: Result[] = answer.results ?? [];
    for (const result of results) checkResult(stage, actor, result, { keyId: actor.keyIds.ruled, slugs: 1 });
    checkRules(stage, actor, when, results);
    words.push(...results.map(wordOf));
  }
  return `asks for a burst of posts -> ${words.join(' ')}`;
}

function wordOf({ status, error }: Result): string {
  return error === null ? status : `${status}:${error.code}`;
}

/** @param plan of a request of the key that follows a policy */
export function checkRules(stage: Stage, actor: Actor, plan: object, results: readonly Result[]): void {
  const { replica } = stage.observer;
  const request = {
    policyId: actor.keyIds.ruled,
    rules: actor.rules,
    at: nowOf(stage),
    plan,
    posts: results.length,
  };
  for (const result of results) {
    const connection = replica.living(actor.id).find(({ slug }) => slug === result.connectionSlug);
    if (connection !== undefined) checkPolicy(replica, request, result, connection.id);
  }
}

interface Request {
  readonly keyId: string;
  /** Count of its connections. */
  readonly slugs: number;
}

/** A result matches the database, and a refusal has its reason. */
function checkResult(stage: Stage, actor: Actor, result: Result, request: Request): void {
  const { replica } = stage.observer;
  const describe = () => `${actor.name} was answered ${JSON.stringify(result)}`;
  const post = replica.posts.get(result.postId ?? '');
  if (result.postId !== null) {
    hold(post?.status === result.status && post.error_code === (result.error?.code ?? null), '9 errors', describe);
    return;
  }
  hold(refusalHolds(stage, actor, result, request), '9 errors', describe);
}

function refusalHolds(stage: Stage, actor: Actor, result: Result, { keyId, slugs }: Request): boolean {
  const { replica } = stage.observer;
  const now = nowOf(stage);
  const connection = replica.living(actor.id).find(({ slug }) => slug === result.connectionSlug);
  if (connection === undefined) return false;
  switch (result.error?.code) {
    case 'policy_refused':
      return keyId === actor.keyIds.ruled;
    case 'stopped':
      return replica.isStopped(actor.id, keyId);
    case 'queue_empty':
      return connection.queue_slots.length === 0;
    case 'queue_full':
      return expectedSlot(replica, connection, now, '') === null;
    case 'fair_use_reached':
      // Posts of the same request count while they are in progress, also those that fail later.
      return actor.plan === 'free' && replica.usedToday(actor.id, now) + slugs > 100;
    case 'connection_limit_exceeded':
      return actor.plan === 'free' && replica.living(actor.id).length > 2;
    default:
      return false;
  }
}
