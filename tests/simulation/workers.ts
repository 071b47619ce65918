/**
 * Workers on the manual clock: prompt or slow, one or two at once, stopped for days, and the product's own simulation.
 */
import { housekeeping } from '../../jobs/housekeeping.ts';
import { retention } from '../../jobs/retention.ts';
import { scheduledPosts } from '../../jobs/scheduled-posts.ts';
import { xUsageSweep } from '../../jobs/x-usage-sweep.ts';
import type { ClaimedSend } from '../../services/sending/claimed-send.ts';
import type { World } from '../harness/world.ts';
import { createSampler, type Sampler } from './sampler.ts';
import type { Faults } from './faults.ts';
import { ms } from './journal.ts';
import { hold } from './replica.ts';
import type { Observer } from './observer.ts';

const SECOND_MS = 1000;
const WEEK_MS = 7 * 86_400_000;

export interface Workers {
  /** Moves time with workers running. */
  run(forMs: number): Promise<void>;
  /** Moves time as `POST /simulation/clock` does. */
  simulate(forMs: number): Promise<void>;
  /** Moves time while nothing runs. */
  stop(forMs: number): void;
  /** Lets the longest-hanging process continue. If another process has taken over its send, it must change nothing. */
  wake(): Promise<void>;
}

export function employ(world: World, observer: Observer, faults: Faults, sampler: Sampler): Workers {
  const { context, clock } = world;
  const now = () => clock.now().getTime();
  let tidied = now();

  const wake = async (resumed: ClaimedSend | undefined) => {
    if (resumed === undefined) return;
    const post = observer.replica.posts.get(resumed.post.id);
    await faults.wake(resumed);
    await observer.look();
    if (post === undefined || post.claim === resumed.claim) return;
    const present = observer.replica.posts.get(post.id);
    hold(
      present === post,
      '2 columns',
      () => `${observer.replica.nameOf(post)} is ${present?.status} by who lost its claim`,
    );
  };

  const waiting = () =>
    [...observer.replica.posts.values()].filter(({ status, held }) => status === 'scheduled' && !held);

  const dueNow = () => waiting().filter((post) => ms(post.scheduled_for ?? '') <= now());

  /** Works until nothing is due. Each round must make progress, otherwise the work is stuck. */
  const round = async () => {
    const run = () => scheduledPosts.run(context, new AbortController().signal);
    // How many turns a round takes may depend on the order of events, and what follows must not.
    const draws = createSampler(`round ${sampler.next()}`);
    for (let before = Infinity; ;) {
      await Promise.all(draws.chance(0.1) ? [run(), run()] : [run()]);
      await faults.drained();
      await observer.look();
      // Two processes hold a claim: the send was taken over, and is interrupted again.
      const contested = faults.hanging.find(({ post, claim }) => {
        const present = observer.replica.posts.get(post.id);
        return present?.status === 'processing' && present.claim !== claim;
      });
      if (draws.chance(0.5)) await wake(contested);
      const [left, ...others] = dueNow();
      if (left === undefined) break;
      const count = 1 + others.length;
      hold(
        count < before,
        '7 stuck',
        () => `${observer.replica.nameOf(left)} is due and was left, with ${others.length} others`,
      );
      before = count;
    }
  };

  /** When a worker has work: a post is due, or the lease of a dead process expires. */
  const nextInstant = async () => {
    const leases = [...observer.replica.posts.values()].flatMap((post) =>
      post.status === 'processing' ? [ms(post.claimed_until ?? '')] : [],
    );
    const due = Math.min(...waiting().map((post) => ms(post.scheduled_for ?? '')));
    if (sampler.chance(0.1)) {
      const nextDue = (await scheduledPosts.nextDueAt?.(context))?.getTime() ?? Infinity;
      hold(nextDue === due, '7 stuck', () => `the workers are told ${nextDue}, and the next post is due at ${due}`);
    }
    return Math.min(...leases, due);
  };

  /** Most are prompt; some are late by seconds, and a few by minutes. */
  const delay = () => {
    if (sampler.chance(0.8)) return 0;
    return sampler.chance(0.6) ? sampler.spread(1, 20 * SECOND_MS) : sampler.int(200, 400) * SECOND_MS;
  };

  const cleanUp = async () => {
    if (now() - tidied < WEEK_MS) return;
    tidied = now();
    for (const loop of [xUsageSweep, retention, housekeeping]) await loop.run(context, new AbortController().signal);
  };

  return {
    run: async (forMs) => {
      const until = now() + forMs;
      await round();
      for (let next = await nextInstant(); next <= until; next = await nextInstant()) {
        clock.set(new Date(Math.min(Math.max(next + delay(), now()), until)));
        await round();
      }
      clock.set(new Date(until));
      await round();
      await cleanUp();
    },
    simulate: async (forMs) => {
      await context.simulation?.advance(Math.ceil(forMs / SECOND_MS));
      await faults.drained();
      await observer.look();
      const failures = await world.sql<{ name: string; last_error: string }>(
        'select name, last_error from worker_states where last_error is not null',
      );
      hold(failures.length === 0, '9 errors', () => `a worker loop failed: ${JSON.stringify(failures)}`);
    },
    stop: (forMs) => clock.advance(forMs),
    wake: () => wake(faults.hanging[0]),
  };
}
