/**
 * Posts go out on time. The test runs longer than the interval at which workers restart their loop, so that every gap
 * shows.
 */
import { expect, it } from 'vitest';
import { attemptsOf, eachOnce, post, SANDBOX, settled, tally } from './posts.ts';
import { ENGINE, newInstall } from './server-process.ts';

/** Spread over 15 seconds, three times the interval of the loop. */
const POSTS = 30;
const SPACING_MS = 500;

it(`starts each of ${POSTS} posts within a second of its time (${ENGINE})`, async () => {
  const install = await newInstall();
  const server = await install.start();
  const first = Date.now() + 4_000;
  const due = Array.from({ length: POSTS }, (_, index) => new Date(first + index * SPACING_MS));
  const posted = await Promise.all(due.map((at, index) => post(server, SANDBOX, `post ${index}`, at)));

  for (const { postId } of posted) await settled(server, postId);

  const ledgers = await Promise.all(posted.map(({ postId }) => attemptsOf(server, postId)));
  const lateness = ledgers.map((ledger, index) => {
    const [attempt] = (ledger as { attempts: { startedAt: string }[] }).attempts;
    return Date.parse(attempt?.startedAt ?? '') - (due[index]?.getTime() ?? 0);
  });
  const sorted = lateness.toSorted((a, b) => a - b);
  console.log(`late by ${sorted[POSTS / 2]} ms in the middle, ${sorted.at(-1)} ms at most`);
  expect(Math.min(...lateness)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...lateness)).toBeLessThan(1_000);
  await server.stop();
  expect(await tally(install)).toEqual(eachOnce(POSTS));
});
