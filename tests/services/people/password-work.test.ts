/** Two passwords are hashed at a time, and excess requests are refused before they use memory. */
import { expect, it } from 'vitest';
import { passwordWork } from '../../../services/people/password-work.ts';

it('runs two at once and queues fifty, in order, and refuses the rest', async () => {
  const begun: number[] = [];
  const ends: PromiseWithResolvers<void>[] = [];
  let together = 0;
  let most = 0;
  const work = (index: number) =>
    passwordWork(async () => {
      begun.push(index);
      most = Math.max(most, (together += 1));
      const end = Promise.withResolvers<void>();
      ends.push(end);
      await end.promise;
      together -= 1;
      return index;
    });

  const all = Array.from({ length: 55 }, (_, index) => work(index));
  const settled = Promise.allSettled(all);
  for (let ended = 0; ended < 52; ended += 1) {
    while (ends[ended] === undefined) await Promise.resolve();
    ends[ended]?.resolve();
  }

  const results = await settled;
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(52);
  expect(results.slice(52).map((result) => ('reason' in result ? (result.reason as Error).message : ''))).toEqual(
    Array.from({ length: 3 }, () => 'Too many people are signing in at the moment. Try again in a minute.'),
  );
  expect(begun).toEqual(Array.from({ length: 52 }, (_, index) => index));
  expect(most).toBe(2);
});

it('continues after work that failed', async () => {
  await expect(passwordWork(() => Promise.reject(new Error('no')))).rejects.toThrow('no');

  expect(await Promise.all([1, 2, 3].map((value) => passwordWork(() => Promise.resolve(value))))).toEqual([1, 2, 3]);
});
