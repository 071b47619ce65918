import { describe, expect, it } from 'vitest';
import { createFairQueue, QueueFull } from '../../../services/images/fair-queue.ts';

const LIMIT = { perOwner: 10, inAll: 20 };

/** A queue whose work ends when the test says so, and the order in which the work began. */
function steppedQueue(concurrency: number) {
  const queue = createFairQueue(concurrency);
  const begun: string[] = [];
  const running: (() => void)[] = [];
  const add = (owner: string, name: string, place: { limit?: typeof LIMIT; signal?: AbortSignal } = {}) =>
    queue.take({ owner, limit: LIMIT, ...place }, async () => {
      begun.push(name);
      await new Promise<void>((resolve) => running.push(resolve));
      return name;
    });
  const finishAll = async () => {
    for (let finish = running.shift(); finish !== undefined; finish = running.shift()) {
      finish();
      await new Promise(setImmediate);
    }
  };
  return { queue, begun, add, finishAll };
}

describe('createFairQueue', () => {
  it('alternates between owners, regardless of how much work one of them has queued', async () => {
    const { begun, add, finishAll } = steppedQueue(1);
    const work = [
      ...['a1', 'a2', 'a3', 'a4'].map((name) => add('a', name)),
      ...['b1', 'b2'].map((name) => add('b', name)),
      add('c', 'c1'),
    ];

    await finishAll();

    expect(await Promise.all(work)).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']);
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  });

  it('runs up to its concurrency limit, and uses all free capacity', async () => {
    const { queue, begun, add, finishAll } = steppedQueue(2);
    const work = ['1', '2', '3'].map((name) => add('a', name));

    expect([begun, queue.waiting()]).toEqual([['1', '2'], 1]);
    await finishAll();
    await Promise.all(work);

    expect(queue.waiting()).toBe(0);
  });

  it('refuses work immediately above the queue limit of an owner or of all owners', async () => {
    const { add, finishAll } = steppedQueue(1);
    const limit = { perOwner: 1, inAll: 2 };
    const work = [
      add('a', 'runs', { limit }),
      add('a', 'waits', { limit }),
      add('b', 'waits', { limit }),
      add('c', 'other limit', { limit: LIMIT }),
    ];

    await expect(add('a', 'too much', { limit })).rejects.toThrow(QueueFull);
    await expect(add('c', 'too much', { limit })).rejects.toThrow(QueueFull);
    await finishAll();

    await Promise.all(work);
  });

  it('frees the place of work whose signal aborts, and continues after work that fails', async () => {
    const { queue, begun, add, finishAll } = steppedQueue(1);
    const leaving = new AbortController();
    const first = add('a', 'first');
    const failing = queue.take({ owner: 'a', limit: LIMIT }, () => Promise.reject(new Error('broken')));
    const left = add('b', 'left', { signal: leaving.signal });
    const last = add('b', 'last');

    leaving.abort(new Error('too late'));
    await expect(left).rejects.toThrow('too late');
    await Promise.all([expect(failing).rejects.toThrow('broken'), finishAll().then(finishAll)]);
    await finishAll();

    expect(await Promise.all([first, last])).toEqual(['first', 'last']);
    expect(begun).toEqual(['first', 'last']);
  });
});
