/** Many callers share one statement, and one bad item fails alone. */
import { describe, expect, it } from 'vitest';
import { createBatcher, createGroupedBatcher } from '../../services/batcher.ts';

/** A write that waits until the test releases it, and the items it was called with. */
function heldWrite() {
  const batches: string[][] = [];
  const waiting: (() => void)[] = [];
  let arrived = () => {};
  return {
    batches,
    write: async (items: readonly string[]) => {
      batches.push([...items]);
      arrived();
      await new Promise<void>((resolve) => waiting.push(resolve));
      return items.map((item) => item.toUpperCase());
    },
    /** Resolves when the next write begins. */
    nextBegins: () =>
      new Promise<void>((resolve) => {
        arrived = resolve;
      }),
    release: () => waiting.shift()?.(),
  };
}

describe('a batch', () => {
  it('contains the items that arrive together, and gives each its own result', async () => {
    const batches: number[][] = [];
    const batcher = createBatcher(async (items: readonly number[]) => {
      batches.push([...items]);
      return items.map((item) => item * 10);
    }, 100);

    const results = await Promise.all([3, 1, 2].map((item) => batcher.add(item)));

    expect(results).toEqual([30, 10, 20]);
    expect(batches).toEqual([[3, 1, 2]]);
  });

  it('contains all items that arrived during the previous write', async () => {
    const held = heldWrite();
    const batcher = createBatcher(held.write, 100);
    const firstBegins = held.nextBegins();
    const first = batcher.add('a');
    await firstBegins;
    const rest = ['b', 'c', 'd'].map((item) => batcher.add(item));
    const secondBegins = held.nextBegins();
    held.release();
    await secondBegins;
    held.release();

    expect(await Promise.all([first, ...rest])).toEqual(['A', 'B', 'C', 'D']);
    expect(held.batches).toEqual([['a'], ['b', 'c', 'd']]);
  });

  it('never exceeds its limit', async () => {
    const sizes: number[] = [];
    const batcher = createBatcher(async (items: readonly number[]) => {
      sizes.push(items.length);
      return items;
    }, 4);

    const results = await Promise.all(Array.from({ length: 10 }, (_, index) => batcher.add(index)));

    expect(results).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(sizes).toEqual([4, 4, 2]);
  });
});

describe('a bad item', () => {
  const refusing = async (items: readonly string[]) => {
    const bad = items.find((item) => item.startsWith('bad'));
    if (bad !== undefined) throw new Error(`${bad} cannot be written`);
    return items.map((item) => item.toUpperCase());
  };

  it('fails alone', async () => {
    const batcher = createBatcher(refusing, 100);

    const results = await Promise.allSettled(['a', 'bad 1', 'b', 'bad 2'].map((item) => batcher.add(item)));

    expect(results).toEqual([
      { status: 'fulfilled', value: 'A' },
      { status: 'rejected', reason: new Error('bad 1 cannot be written') },
      { status: 'fulfilled', value: 'B' },
      { status: 'rejected', reason: new Error('bad 2 cannot be written') },
    ]);
  });

  it('does not delay later items', async () => {
    const batcher = createBatcher(refusing, 1);

    const results = await Promise.allSettled(['bad', 'a'].map((item) => batcher.add(item)));
    const later = await batcher.add('b');

    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect(later).toBe('B');
  });

  it('fails as a whole without a database, because none of its items could be written alone', async () => {
    const batches: number[][] = [];
    const error = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const batcher = createBatcher(async (items: readonly number[]) => {
      batches.push([...items]);
      throw error;
    }, 100);

    const results = await Promise.allSettled([1, 2].map((item) => batcher.add(item)));

    expect(results).toEqual([
      { status: 'rejected', reason: error },
      { status: 'rejected', reason: error },
    ]);
    expect(batches).toEqual([[1, 2]]);
  });
});

describe('groups', () => {
  const firstLetter = (item: string) => item.slice(0, 1);

  it('share no batch', async () => {
    const batches: string[][] = [];
    const batcher = createGroupedBatcher(
      firstLetter,
      async (items) => {
        batches.push([...items]);
        return items.map((item) => item.toUpperCase());
      },
      100,
    );

    expect(await Promise.all(['a1', 'b1', 'a2', 'b2'].map((item) => batcher.add(item)))).toEqual([
      'A1',
      'B1',
      'A2',
      'B2',
    ]);
    expect(batches).toEqual([
      ['a1', 'a2'],
      ['b1', 'b2'],
    ]);
  });

  it('do not wait for each other', async () => {
    const held = heldWrite();
    const batcher = createGroupedBatcher(
      firstLetter,
      (items) => (items[0] === 'b1' ? Promise.resolve(['B1']) : held.write(items)),
      100,
    );
    const begins = held.nextBegins();
    const first = batcher.add('a1');
    await begins;

    expect(await batcher.add('b1')).toBe('B1');
    held.release();
    expect(await first).toBe('A1');
  });

  it('are forgotten when there are many, except those that have work', async () => {
    const held = heldWrite();
    const batcher = createGroupedBatcher(
      (item: string) => item,
      (items) => (items[0] === 'held' ? held.write(items) : Promise.resolve(items.map((item) => item))),
      100,
    );
    const begins = held.nextBegins();
    const first = batcher.add('held');
    await begins;
    for (let index = 0; index < 2_500; index += 1) await batcher.add(`group ${index}`);
    const second = batcher.add('held');
    const next = held.nextBegins();
    held.release();
    await next;
    held.release();

    expect(await Promise.all([first, second])).toEqual(['HELD', 'HELD']);
    expect(held.batches).toEqual([['held'], ['held']]);
  });
});
