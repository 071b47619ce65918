/** A bounded queue for expensive work: it limits how much runs at once, and owners take turns for the next slot. */

/** How much work may wait before the queue refuses more. */
export interface QueueLimit {
  /** Most waiting work of one owner. */
  readonly perOwner: number;
  /** Most waiting work of all owners together. */
  readonly inAll: number;
}

/** The owner of waiting work, and its limit. */
export interface QueuePlace {
  /** Owners take turns, however much work each of them has waiting. */
  readonly owner: string;
  /** Counted separately: work that waits under another limit object takes no slot under this one. */
  readonly limit: QueueLimit;
  /** Removes work that still waits from the queue. */
  readonly signal?: AbortSignal;
}

export interface FairQueue {
  /**
   * Runs `work` when its turn comes.
   * @throws QueueFull at once when no more work may wait; the signal's reason when it aborts before the turn came
   */
  take<Result>(place: QueuePlace, work: () => Promise<Result>): Promise<Result>;
  /** How much work waits. */
  waiting(): number;
}

/** The queue is full. */
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
  // The order of the keys is the order of turns; an owner moves to the end after its turn.
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
