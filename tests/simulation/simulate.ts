/**
 * A month, or any number of days, of random activity on the manual clock. Every step is checked, and a seed always
 * gives the same history.
 */
import { startWorld } from '../harness/world.ts';
import { ACTS } from './acts.ts';
import { createSampler, type Sampler } from './sampler.ts';
import { injectFaults } from './faults.ts';
import { keepJournal } from './journal.ts';
import { Broken, hold } from './replica.ts';
import { observe, type Observer } from './observer.ts';
import { burst, flood, nowOf, type Stage, write } from './posting.ts';
import { startPlatforms } from './platforms.ts';
import { rememberRequests } from './replays.ts';
import { type Actor, settle } from './tenants.ts';
import { employ, type Workers } from './workers.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How long workers run after the last action, so that every waiting post has had its time. */
const AFTERMATH_MS = 40 * DAY_MS;

/** A queue with one slot a week, whose worker is late again and again, needs longer. A week is one more slot. */
const FURTHER_WEEKS_MAX = 6;

/** Start days of simulations: most of the months contain a daylight saving change somewhere. */
const BEGINNINGS = ['2026-10-20T09:00:00Z', '2027-03-05T21:30:00Z', '2027-03-15T06:00:00Z', '2026-12-20T00:00:00Z'];

export interface Outcome {
  /** A hash of the whole history. */
  readonly digest: string;
  readonly acts: number;
  /** Changes of posts. */
  readonly moves: number;
  readonly faults: number;
  /** Calls to imitated platforms that were lost. */
  readonly lost: number;
  /** Count of posts that went out on each imitated platform. */
  readonly elsewhere: ReadonlyMap<string, number>;
  /** Count of each transition. */
  readonly ways: ReadonlyMap<string, number>;
}

/** @throws Error that names the seed, the day, the step and the invariant, and shows the latest history */
export async function simulate(seed: number, days: number): Promise<Outcome> {
  const start = new Date(BEGINNINGS[seed % BEGINNINGS.length] as string);
  let now = () => start;
  await using platforms = await startPlatforms(`simulation ${seed}`, () => now());
  await using world = await startWorld({ clock: 'manual', env: platforms.env });
  now = () => world.clock.now();
  world.clock.set(start);
  const sampler = createSampler(`simulation ${seed}`);
  const journal = await keepJournal(world);
  const faults = injectFaults(world, `simulation ${seed}`);
  const observer = observe(world, journal, platforms, faults);
  const stage: Stage = { world, sampler, observer, faults, platforms, replays: rememberRequests(world) };
  const workers = employ(world, observer, faults, sampler);
  const end = start.getTime() + days * DAY_MS;
  let acts = 0;
  try {
    const actors = await settle(stage);
    for (const actor of actors) observer.replica.tenants.set(actor.id, actor);
    await observer.look();
    const nextMarker = markers();
    while (nowOf(stage) < end) {
      acts += 1;
      await act(stage, workers, actors, nextMarker);
    }
    await windUp(stage, workers, actors);
  } catch (error) {
    const day = ((nowOf(stage) - start.getTime()) / DAY_MS).toFixed(2);
    const what = error instanceof Broken ? `broke invariant ${error.message}` : `failed: ${String(error)}`;
    const replay = `npm run simulate -- --seed ${seed} --days ${days}`;
    const report = `seed ${seed}, day ${day}, step ${acts} ${what}\nreplay: ${replay}\n${observer.last.join('\n')}`;
    throw new Error(report, { cause: error });
  }
  return {
    digest: observer.digest(),
    acts,
    moves: observer.moves,
    faults: faults.hits,
    lost: platforms.lostCalls,
    elsewhere: sentElsewhere(observer),
    ways: observer.ways,
  };
}

function sentElsewhere({ replica }: Observer): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { platform_id: platformId, sent_at: sentAt } of replica.posts.values()) {
    if (platformId !== 'sandbox' && sentAt !== null) counts.set(platformId, (counts.get(platformId) ?? 0) + 1);
  }
  return counts;
}

/** Generates `#1`, `#2`, … */
function markers(): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `#${count}`;
  };
}

const WEIGHTS = {
  write: 33,
  flood: 0.4,
  burst: 1.5,
  publish: 5,
  retry: 7,
  ask: 4,
  decide: 4,
  reschedule: 3,
  replace: 1,
  remove: 8,
  edit: 2,
  queue: 6,
  order: 4,
  stop: 1.5,
  release: 6,
  disconnect: 0.7,
  link: 1,
  read: 2,
  replay: 6,
  work: 24,
  simulation: 4,
  downtime: 4,
  wake: 3,
};

async function act(stage: Stage, workers: Workers, actors: readonly Actor[], nextMarker: () => string): Promise<void> {
  const { sampler, observer } = stage;
  const kind = sampler.weighted(WEIGHTS);
  const line = `${new Date(nowOf(stage)).toISOString()} ${kind}`;
  if (kind === 'work' || kind === 'simulation' || kind === 'downtime' || kind === 'wake') {
    observer.note(`${line} ${await passTime(stage, workers, kind, sampler)}`);
    return;
  }
  const free = actors.filter(({ plan }) => plan === 'free');
  const actor = sampler.pick(kind === 'flood' ? free : actors);
  const does = async () => {
    if (kind === 'write') return write(stage, actor, nextMarker());
    if (kind === 'flood') return flood(stage, actor, nextMarker);
    if (kind === 'burst') return burst(stage, actor, nextMarker);
    return ACTS[kind](stage, actor);
  };
  observer.note(`${line} ${actor.name} ${await does()}`);
}

async function passTime(stage: Stage, workers: Workers, kind: string, sampler: Sampler): Promise<string> {
  if (kind === 'wake') {
    await workers.wake();
    return `${stage.faults.hanging.length} sends still hang`;
  }
  const time = kind === 'downtime' ? sampler.spread(MINUTE_MS, 5 * DAY_MS) : sampler.spread(MINUTE_MS, 20 * HOUR_MS);
  if (kind === 'work') await workers.run(time);
  else if (kind === 'simulation') await workers.simulate(time);
  else workers.stop(time);
  return `${(time / MINUTE_MS).toFixed(1)} minutes`;
}

/** Ends the pauses, the stops and the faults, and moves time until every post has ended. */
async function windUp(stage: Stage, workers: Workers, actors: readonly Actor[]): Promise<void> {
  const { world, observer, faults, platforms } = stage;
  faults.enabled = false;
  platforms.enabled = false;
  while (faults.hanging.length > 0) await workers.wake();
  for (const { id, key } of actors) {
    for (const stop of observer.replica.stopsOf(id)) {
      await world.rest(`POST /stops/${stop.id}/release`, { key, body: { posts: 'send' } });
    }
    for (const connection of observer.replica.living(id)) {
      await world.rest(`PATCH /connections/${connection.id}/queue`, { key, body: { paused: false } });
    }
  }
  await observer.look();
  await workers.run(AFTERMATH_MS);
  for (let weeks = 0; weeks < FURTHER_WEEKS_MAX && isAnyWaiting(observer); weeks += 1) await workers.run(7 * DAY_MS);
  checkEnds(observer);
}

function isAnyWaiting({ replica }: Observer): boolean {
  return [...replica.posts.values()].some(({ status }) => status === 'scheduled');
}

function checkEnds({ replica }: Observer): void {
  for (const post of replica.posts.values()) {
    const over = post.status !== 'scheduled' && post.status !== 'processing';
    hold(over, '7 stuck', () => `${replica.nameOf(post)} is ${post.status} for ${post.scheduled_for} at the end`);
  }
  for (const head of replica.heads.values()) {
    hold(head.state !== 'sending', '7 stuck', () => `a ledger row of ${head.post_id} was never settled`);
  }
}
