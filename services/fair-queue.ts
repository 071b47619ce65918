/** A bounded queue in front of work that needs much: so much of it runs at once, and owners take turns for the next place. */

/** How much work may wait before more of it is refused. */
export interface QueueLimit {
  /** Of one owner. */
  readonly perOwner: number;
  /** Of all owners together. */
  readonly inAll: number;
}

/** For whom work waits, and under which limit. */
export interface QueuePlace {
  /** Owners take turns, however much each of them has waiting. */
  readonly owner: string;
  /** Counted for itself: what waits under another limit object takes no place under this one. */
  readonly limit: QueueLimit;
  /** Gives up the place of work that still waits. */
  readonly signal?: AbortSignal;
}

export interface FairQueue {
  /**
   * Runs `work` when it is its turn.
   * @throws QueueFull at once when no further work may wait; the signal's reason when it aborts before the turn came
   */
  take<Result>(place: QueuePlace, work: () => Promise<Result>): Promise<Result>;
  /** How many wait. */
  waiting(): number;
}

/** As much work waits as may. */
export class QueueFull extends Error {
  override name = 'QueueFull';
}

interface Waiting {
  readonly limit: QueueLimit;
  readonly begin: () => void;
}

/** @param concurrency how much work runs at once */
export function createFairQueue(concurrency: number): FairQueue {
  let running = 0;
  // The order of the keys is the order of turns: whose turn it was goes to the end.
  const owners = new Map<string, Waiting[]>();

  const wait = ({ owner, limit, signal }: QueuePlace) =>
    new Promise<void>((resolve, reject) => {
      const ofOwner = owners.get(owner) ?? [];
      if (isFull(owners, ofOwner, limit)) {
        reject(new QueueFull('as much work waits as may'));
        return;
      }
      const giveUp = () => {
        removeFrom(owners, owner, entry);
        reject(signal?.reason as Error);
      };
      const entry: Waiting = {
        limit,
        begin: () => {
          signal?.removeEventListener('abort', giveUp);
          resolve();
        },
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      owners.set(owner, [...ofOwner, entry]);
    });

  const beginNext = () => {
    const [turn] = owners;
    if (turn === undefined) {
      running -= 1;
      return;
    }
    const [owner, [first, ...rest]] = turn;
    owners.delete(owner);
    if (rest.length > 0) owners.set(owner, rest);
    first?.begin();
  };

  return {
    take: async (place, work) => {
      place.signal?.throwIfAborted();
      if (running < concurrency) running += 1;
      else await wait(place);
      try {
        return await work();
      } finally {
        beginNext();
      }
    },
    waiting: () => [...owners.values()].reduce((sum, { length }) => sum + length, 0),
  };
}

function isFull(owners: ReadonlyMap<string, Waiting[]>, ofOwner: readonly Waiting[], limit: QueueLimit): boolean {
  const count = (waiting: readonly Waiting[]) => waiting.filter((entry) => entry.limit === limit).length;
  if (count(ofOwner) >= limit.perOwner) return true;
  return [...owners.values()].reduce((sum, waiting) => sum + count(waiting), 0) >= limit.inAll;
}

function removeFrom(owners: Map<string, Waiting[]>, owner: string, entry: Waiting): void {
  const left = owners.get(owner)?.filter((other) => other !== entry) ?? [];
  if (left.length > 0) owners.set(owner, left);
  else owners.delete(owner);
}
