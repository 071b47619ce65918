/**
 * Combines the items of many callers into one statement: items that arrive while a batch is written join the next
 * batch.
 */
import { isDatabaseAway } from '../entities/database-away.ts';

export interface Batcher<Item, Result> {
  /** Adds an item; settles when the batch that carries it has been written. */
  add(item: Item): Promise<Result>;
  /** Whether no item waits or is being written. */
  readonly isIdle: boolean;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (reason: unknown) => void;
}

/**
 * @param write writes all items in one transaction and returns one result per item, in their order. When a batch fails,
 * its items are written one by one, so that one bad item fails alone; without a database they fail together.
 * @param maxSize most items in one batch
 */
export function createBatcher<Item, Result>(
  write: (items: readonly Item[]) => Promise<readonly Result[]>,
  maxSize: number,
): Batcher<Item, Result> {
  let queue: Waiting<Item, Result>[] = [];
  let writing = false;

  const writeTogether = async (batch: readonly Waiting<Item, Result>[]) => {
    const results = await write(batch.map((waiting) => waiting.item));
    batch.forEach((waiting, index) => waiting.resolve(results[index] as Result));
  };

  const writeApart = async (batch: readonly Waiting<Item, Result>[]) => {
    for (const waiting of batch) {
      try {
        await writeTogether([waiting]);
      } catch (error) {
        waiting.reject(error);
      }
    }
  };

  const run = async () => {
    writing = true;
    while (queue.length > 0) {
      const batch = queue.slice(0, maxSize);
      queue = queue.slice(maxSize);
      try {
        await writeTogether(batch);
      } catch (error) {
        if (isDatabaseAway(error)) batch.forEach((waiting) => waiting.reject(error));
        else await writeApart(batch);
      }
    }
    writing = false;
  };

  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        queue.push({ item, resolve, reject });
        // Waits for one turn of the event loop, so that concurrent callers join the first batch.
        if (!writing) {
          writing = true;
          setImmediate(() => void run());
        }
      }),
    get isIdle() {
      return !writing;
    },
  };
}

/** Most batchers that are kept for the next item of their group. */
const GROUPS_MAX = 1_000;

/**
 * Combines the items of a group only: a group whose statement waits for a lock holds up no other.
 *
 * @param groupOf the group of an item
 * @param write gets items of one group; as for {@link createBatcher}
 * @param maxSize most items in one batch
 */
export function createGroupedBatcher<Item, Result>(
  groupOf: (item: Item) => string,
  write: (items: readonly Item[]) => Promise<readonly Result[]>,
  maxSize: number,
): Pick<Batcher<Item, Result>, 'add'> {
  // Batchers stay while they are idle: a Map that entries enter and leave with each request keeps its old tables.
  const groups = new Map<string, Batcher<Item, Result>>();
  const open = (name: string) => {
    if (groups.size >= GROUPS_MAX) for (const [other, { isIdle }] of groups) if (isIdle) groups.delete(other);
    const made = createBatcher(write, maxSize);
    groups.set(name, made);
    return made;
  };
  return {
    add: (item) => {
      const name = groupOf(item);
      return (groups.get(name) ?? open(name)).add(item);
    },
  };
}
