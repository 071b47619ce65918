/** An expensive read runs at most once per cache period, and a failed read is not cached. */
import { describe, expect, it } from 'vitest';
import { cached } from '../../services/cached.ts';
import { createTestClock } from '../harness/test-clock.ts';

/** A read that counts its calls, cached for ten seconds. */
function countingRead(fails: (count: number) => boolean = () => false) {
  const clock = createTestClock();
  let count = 0;
  const read = cached(clock, 10, async () => {
    count += 1;
    if (fails(count)) throw new Error(`read ${count} failed`);
    return count;
  });
  return { clock, read };
}

describe('a result', () => {
  it('is returned again until it expires', async () => {
    const { clock, read } = countingRead();

    const answers = [await read()];
    for (const ms of [0, 9_999, 1, 9_999, 1]) {
      clock.advance(ms);
      answers.push(await read());
    }

    expect(answers).toEqual([1, 1, 1, 2, 2, 3]);
  });

  it('is shared by all callers during the read', async () => {
    const { read } = countingRead();

    expect(await Promise.all([read(), read(), read()])).toEqual([1, 1, 1]);
  });
});

describe('a failure', () => {
  it('reaches all callers, and is not cached', async () => {
    const { read } = countingRead((count) => count === 1);

    const failed = await Promise.allSettled([read(), read()]);

    expect(failed).toEqual([
      { status: 'rejected', reason: new Error('read 1 failed') },
      { status: 'rejected', reason: new Error('read 1 failed') },
    ]);
    expect(await read()).toBe(2);
  });
});
