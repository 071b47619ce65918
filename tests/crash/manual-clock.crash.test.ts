/**
 * The manual clock over kills and restarts: time continues from the instant reached, and everything before it was done
 * once (docs/contract/running.md#manual-clock).
 */
import { describe, expect, it } from 'vitest';
import { attemptsOf, eachOnce, oneAccepted, post, postOf, SANDBOX, settled, tally } from './posts.ts';
import { ENGINE, newInstall, type ServerProcess } from './server-process.ts';
import { waitUntil } from './wait-until.ts';

const START = '2027-01-01T00:00:00.000Z';
const MANUAL = { CLOCK: 'manual', CLOCK_START: START };
const DAY = 86_400;

/** The instant this many days after the start, on the manual clock. */
const day = (days: number) => new Date(Date.parse(START) + days * DAY * 1000);

const advance = (server: ServerProcess, days: number) =>
  server.rest('POST /simulation/clock', { body: { advanceSeconds: days * DAY } });

describe.runIf(ENGINE === 'pglite')('with CLOCK=manual', () => {
  it('sends a post of the 29th day within real seconds, at its exact instant', async () => {
    const install = await newInstall(MANUAL);
    const server = await install.start();
    const { postId } = await post(server, SANDBOX, 'in a month', day(29));
    const before = performance.now();

    const { status, body } = await advance(server, 30);

    const tookMs = Math.round(performance.now() - before);
    console.log(`30 days took ${tookMs} ms`);
    expect(tookMs).toBeLessThan(15_000);
    expect(status).toBe(200);
    // The post, and a read of its metrics in each hour of the last day.
    expect(body).toEqual({ now: day(30).toISOString(), ran: 25 });
    const sent = await postOf(server, postId);
    expect(sent).toMatchObject({ status: 'sent' });
    expect(await attemptsOf(server, postId)).toEqual({
      attempts: [
        {
          id: expect.any(String),
          step: 'head',
          index: 0,
          state: 'accepted',
          startedAt: day(29).toISOString(),
          settledAt: day(29).toISOString(),
          platformPostId: sent.platformPostId,
          error: null,
        },
      ],
      nextCursor: null,
    });
  });

  it('continues from the instant it had reached after it is killed', async () => {
    const install = await newInstall(MANUAL);
    const first = await install.start();
    await advance(first, 12.5);

    await first.kill9();

    const second = await install.start();
    expect((await second.rest('GET /simulation/clock')).body).toEqual({ now: day(12.5).toISOString() });
    await second.stop();
    const later = await install.start({ CLOCK_START: day(20).toISOString() });
    expect((await later.rest('GET /simulation/clock')).body).toEqual({ now: day(20).toISOString() });
  });

  it('completes interrupted sends after a kill in the middle of a month, and leaves the rest waiting', async () => {
    const install = await newInstall(MANUAL);
    const first = await install.start();
    const [early, middle, late] = [
      await post(first, SANDBOX, 'early', day(3)),
      await post(first, SANDBOX, 'middle [[slow 3000]]', day(10)),
      await post(first, SANDBOX, 'late', day(20)),
    ].map(({ postId }) => postId as string) as [string, string, string];
    advance(first, 30).catch(() => undefined);
    await waitUntil('time has come to the middle', async () => (await postOf(first, middle)).status === 'processing');

    await first.kill9();

    const second = await install.start();
    expect((await second.rest('GET /simulation/clock')).body).toEqual({ now: day(10).toISOString() });
    expect(await settled(second, early)).toMatchObject({ status: 'sent' });
    const recovered = await settled(second, middle);
    expect(recovered).toMatchObject({ status: 'sent' });
    expect(await attemptsOf(second, middle)).toEqual(oneAccepted(recovered.platformPostId));
    expect(await postOf(second, late)).toMatchObject({ status: 'scheduled' });
    // The last post, and the reads of all three posts' metrics.
    expect((await advance(second, 20)).body).toEqual({ now: day(30).toISOString(), ran: expect.any(Number) });
    await second.stop();
    expect(await tally(install)).toEqual(eachOnce(3));
  });
});
