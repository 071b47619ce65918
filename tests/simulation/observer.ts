/** Reads the journal after each step, checks every transaction in it, and keeps the history. */
import { createHash } from 'node:crypto';
import type { World } from '../harness/world.ts';
import { type Journal, ms, type Transaction } from './journal.ts';
import { checkLateness, checkSlot, exchangedSlots } from './lateness.ts';
import { type Disturbances, Replica } from './replica.ts';
import type { Platforms } from './platforms.ts';
import { checkPublished } from './published.ts';
import { checkQuotas } from './quotas.ts';
import { checkReads } from './reads.ts';
import { checkRepeats } from './repeats.ts';
import { checkRow, checkWaiting } from './rows.ts';
import { checkHeld, checkStopped } from './stops.ts';
import { checkTimeline } from './timeline.ts';
import { checkTransitions, type Step } from './transitions.ts';

/** Number of history lines that a failure shows. */
const SHOWN = 40;

export interface Observer {
  readonly replica: Replica;
  /** The last lines of the history. */
  readonly last: readonly string[];
  /** Changes of posts so far. */
  readonly moves: number;
  /** Count of each transition, such as `scheduled -> sent`, reasons and error codes included. */
  readonly ways: ReadonlyMap<string, number>;
  /** Writes a line into the history. */
  note(line: string): void;
  /**
   * Reads and checks the changes since the last call.
   * @throws Broken
   */
  look(): Promise<void>;
  /** A hash of the whole history. */
  digest(): string;
}

export function observe(
  world: World,
  journal: Journal,
  platforms: Platforms,
  faults: Pick<Disturbances, 'interrupted'>,
): Observer {
  const replica = new Replica({ lost: platforms.lost, interrupted: faults.interrupted });
  const hash = createHash('sha256');
  const last: string[] = [];
  const ways = new Map<string, number>();
  let moves = 0;

  const note = (line: string) => {
    hash.update(`${line}\n`);
    last.push(line);
    if (last.length > SHOWN) last.shift();
  };

  const decide = (transaction: Transaction): string[] => {
    const at = instantOf(transaction) ?? world.clock.now().getTime();
    const exchanged = exchangedSlots(transaction);
    for (const change of transaction) {
      if (change.kind === 'posts') checkSlot(replica, change.old, change.new, at, exchanged);
      replica.apply(change);
      if (change.kind === 'posts' && change.new !== null) checkRow(replica, change.new);
    }
    const steps = checkTransitions(replica, transaction);
    checkLateness(replica, steps, at);
    checkQuotas(replica, steps, at);
    checkRepeats(replica, steps, at);
    checkStopped(replica, steps);
    checkReads(replica, transaction);
    moves += steps.length;
    return steps.map((step) => {
      const way = wayOf(step);
      ways.set(way, (ways.get(way) ?? 0) + 1);
      return lineOf(replica, step, at);
    });
  };

  return {
    replica,
    last,
    ways,
    note,
    get moves() {
      return moves;
    },
    look: async () => {
      const lines: string[] = [];
      replica.beginStep();
      try {
        for (const transaction of await journal.read()) lines.push(...decide(transaction));
      } finally {
        // Within one step engines may commit in a different order.
        for (const line of lines.toSorted()) note(line);
      }
      if (lines.length === 0) return;
      checkWaiting(replica, world.clock.now().getTime());
      checkHeld(replica);
      checkTimeline(replica);
      checkPublished(replica, await platforms.published());
    },
    digest: () => hash.copy().digest('hex'),
  };
}

/** The instant of a transaction, from the rows that carry one; null when none does. */
function instantOf(transaction: Transaction): number | null {
  for (const change of transaction) {
    if (change.kind === 'events' && change.new !== null) return ms(change.new.created_at);
    if (change.kind === 'attempts' && change.old === null && change.new !== null) return ms(change.new.started_at);
    if (change.kind === 'posts' && change.old === null && change.new !== null) return ms(change.new.created_at);
  }
  return null;
}

function wayOf({ old, new: present, reason }: Step): string {
  const why = reason ?? (present?.status === 'failed' ? present.error_code : null);
  return `${old?.status ?? 'new'} -> ${present?.status ?? 'gone'}${why === null ? '' : ` (${why})`}`;
}

function lineOf(replica: Replica, step: Step, at: number): string {
  const post = step.new ?? step.old;
  const name = post === null ? '?' : replica.nameOf(post);
  const time = step.new?.scheduled_for ?? null;
  const held = step.new?.held === true ? ' held' : '';
  return `  ${new Date(at).toISOString()} ${name} ${wayOf(step)}${time === null ? '' : ` for ${new Date(time).toISOString()}`}${held}`;
}
