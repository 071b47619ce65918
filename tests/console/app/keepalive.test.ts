/** Which requests of the console outlive their page. */
import { describe, expect, it } from 'vitest';
import { outlivingPage } from '../../../console/app/data/keepalive.ts';

/** A request that waits for `end`, and its `keepalive`. */
function ask(body: unknown, isLeaving = false) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const seen: boolean[] = [];
  const answer = outlivingPage(body, isLeaving, (keepalive) => {
    seen.push(keepalive);
    return promise;
  });
  return { answer, end: () => resolve('answer'), fail: () => reject(new Error('no network')), outlives: seen[0] };
}

describe('A request of the console', () => {
  it('outlives its page if its body is small', async () => {
    const small = ask('{}');
    const large = ask('x'.repeat(32 * 1024 + 1));
    const inBytes = ask('é'.repeat(16 * 1024 + 1));
    const none = ask(undefined);

    expect([small, large, inBytes, none].map(({ outlives }) => outlives)).toEqual([true, false, false, false]);

    for (const { answer, end } of [small, large, inBytes, none]) {
      end();
      expect(await answer).toBe('answer');
    }
  });

  it('is marked in any case when the page is being left', async () => {
    const { outlives, answer, end } = ask('x'.repeat(40 * 1024), true);
    end();
    await answer;

    expect(outlives).toBe(true);
  });

  it('is not marked while others fill the limits, until they end, also by a failure', async () => {
    const half = 'x'.repeat(16 * 1024);
    const held = [ask(half), ask(half)];
    const third = ask('{}');
    expect(third.outlives).toBe(false);
    held[0]?.end();
    held[1]?.fail();
    await Promise.allSettled(held.map(({ answer }) => answer));
    third.end();

    const four = Array.from({ length: 4 }, () => ask('{}'));
    const fifth = ask('{}');

    expect(four.map(({ outlives }) => outlives)).toEqual([true, true, true, true]);
    expect(fifth.outlives).toBe(false);
    for (const { answer, end } of [...four, fifth]) {
      end();
      await answer;
    }
  });
});
