/**
 * Backlogs whose process is killed while they drain: every post is sent exactly once
 * (docs/contract/posts.md#interrupted-sends).
 */
import { describe, expect, it } from 'vitest';
import { createSeededRandom } from '../harness/seeded-random.ts';
import { createTestClock } from '../harness/test-clock.ts';
import { allSettled } from './all-settled.ts';
import { eachOnce, type PostBody, schedule, startAgain, tally } from './posts.ts';
import { ENGINE, newInstall, type ServerProcess } from './server-process.ts';
import { waitUntil } from './wait-until.ts';

/** Whole numbers below a bound, the same in every run. */
function seededBelow(seed: string): (bound: number) => number {
  const random = createSeededRandom(seed, createTestClock());
  return (bound) => random.bytes(4).readUInt32BE() % bound;
}

/** Texts of posts, each of which the platform delays by between 0 and `slowestMs` milliseconds. */
function texts(count: number, slowestMs: number, below: (bound: number) => number): string[] {
  return Array.from({ length: count }, (_, index) => `post ${index} [[slow ${below(slowestMs)}]]`);
}

/** The number of posts that are published. */
async function sentCount(server: ServerProcess): Promise<number> {
  for (let count = 0; ; count += 100) {
    const { body } = await server.rest(`GET /posts?status=sent&limit=100&offset=${count}`);
    const { length } = body.posts as PostBody[];
    if (length < 100) return count + length;
  }
}

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000);
const isPast = (instant: Date) => Date.now() >= instant.getTime();

describe(`on ${ENGINE}`, () => {
  it('sends each of 300 due posts exactly once when it is killed while they drain', async () => {
    const install = await newInstall();
    const first = await install.start();
    await schedule(first, texts(300, 2_000, seededBelow('drain')), inSeconds(10));
    await waitUntil('a part of them is sent', async () => (await sentCount(first)) > 30);

    await first.kill9();

    const cut = (await tally(install)) as { sent: number };
    expect(cut.sent).toBeGreaterThan(30);
    expect(cut.sent).toBeLessThan(300);
    const second = await startAgain(install);
    await allSettled(second);
    await second.stop();
    expect(await tally(install)).toEqual(eachOnce(300));
  });

  it('neither loses nor duplicates a post when it is killed repeatedly at the instant of claiming', async () => {
    const below = seededBelow('claims');
    const install = await newInstall();
    let server = await install.start();
    for (let kill = 0; kill < 4; kill += 1) {
      const at = inSeconds(3);
      await schedule(
        server,
        texts(60, 1, below).map((text) => `${kill} ${text}`),
        at,
      );
      await waitUntil('they are due', () => isPast(at));
      const delayMs = performance.now() + below(60);
      await waitUntil('a few milliseconds', () => performance.now() >= delayMs);
      await server.kill9();
      server = await startAgain(install);
    }

    await allSettled(server);

    await server.stop();
    expect(await tally(install)).toEqual(eachOnce(240));
  });

  it('sends each of 500 posts exactly once over six kills at random instants', async () => {
    const below = seededBelow('kills');
    const install = await newInstall();
    let server = await install.start();
    await schedule(server, texts(500, 5_000, below), inSeconds(12));
    await waitUntil('the first is sent', async () => (await sentCount(server)) > 0);
    const progress: number[] = [];
    for (let kill = 0; kill < 6; kill += 1) {
      const killAt = performance.now() + below(2_000);
      await waitUntil('a random instant', () => performance.now() >= killAt);
      await server.kill9();
      server = await startAgain(install);
      progress.push(await sentCount(server));
    }

    await allSettled(server);

    await server.stop();
    console.log(`sent after each kill: ${progress.join(', ')}`);
    expect(progress[2]).toBeLessThan(500);
    expect(await tally(install)).toEqual(eachOnce(500));
  });
});
