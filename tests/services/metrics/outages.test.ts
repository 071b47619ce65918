/** Metrics reads during a platform outage end, keep what was read, and resume later. */
import { expect, it } from 'vitest';
import { makePost } from '../../harness/posts.ts';
import { type ScriptedAnswer, scriptNetwork } from '../../harness/scripted-network.ts';
import { startWorld } from '../../harness/world.ts';
import { startFakeBluesky } from '../../platforms/fakes/fake-bluesky.ts';

const HOUR_S = 3_600;

async function startReads() {
  const bluesky = await startFakeBluesky({ now: () => world.clock.now() });
  const world = await startWorld({
    clock: 'manual',
    env: { BLUESKY_SERVICE_URL: bluesky.url, BLUESKY_APPVIEW_URL: bluesky.url },
  });
  const network = scriptNetwork(world);
  bluesky.addAccount('alice.test', 'abcd-efgh-ijkl-mnop');
  const credentials = { identifier: 'alice.test', appPassword: 'abcd-efgh-ijkl-mnop' };
  await world.rest('POST /connections', { body: { platformId: 'bluesky', credentials, slug: 'bells' } });
  const { postId } = await makePost(world, 'bells');
  let asked = 0;
  return {
    postId,
    asked: () => asked,
    breakDown: (answer: ScriptedAnswer) => {
      network.script = ({ pathname }) => {
        if (!pathname.endsWith('getPosts')) return undefined;
        asked += 1;
        return answer;
      };
    },
    recover: () => {
      network.script = null;
    },
    /** Goes to a later instant without a round at those before it. */
    skip: (seconds: number) => world.advance(seconds * 1_000),
    makeDue: () => world.sql('update posts set next_read_at = $2 where id = $1', [postId, world.clock.now()]),
    nextReadAt: async () => (await world.sql('select next_read_at from posts where id = $1', [postId]))[0],
    advance: (advanceSeconds: number) => world.rest('POST /simulation/clock', { body: { advanceSeconds } }),
    history: async () =>
      (await world.rest(`GET /posts/${postId}/metrics`)).body.history as { readonly fetchedAt: string }[],
    close: () => bluesky.close(),
  };
}

const DAY_S = 24 * HOUR_S;

interface Outage {
  readonly name: string;
  readonly headers: Record<string, string>;
  readonly days: number;
}

const OUTAGES: readonly Outage[] = [
  { name: 'says nothing of how long', headers: {}, days: 27 },
  { name: 'says that no wait is needed', headers: { 'retry-after': '0' }, days: 3 },
  { name: 'asks to wait a second', headers: { 'retry-after': '1' }, days: 3 },
];

it.for(OUTAGES)(
  'an advance of $days days ends while the platform answers 503 and $name',
  { timeout: 240_000 },
  async ({ headers, days }) => {
    const reads = await startReads();
    await reads.advance(2 * HOUR_S);
    const before = await reads.history();
    reads.breakDown({ status: 503, json: { error: 'UpstreamFailure' }, headers });

    const { status } = await reads.advance(days * DAY_S);
    const during = await reads.history();
    reads.recover();
    await reads.advance(26 * HOUR_S);
    const after = await reads.history();

    await reads.close();
    expect(status).toBe(200);
    expect(before.length).toBe(2);
    expect(during).toEqual(before);
    expect(after.length).toBeGreaterThan(before.length);
    // After 5, 10, 20, 40, 80 and 160 minutes, then every three hours.
    expect(reads.asked()).toBeLessThan(days * 8 + 7);
  },
);

it('a platform that recovers gets its next retry after five minutes when it fails again', async () => {
  const reads = await startReads();
  reads.breakDown({ status: 503, json: { error: 'UpstreamFailure' } });
  await reads.advance(10 * HOUR_S);
  reads.recover();
  await reads.advance(4 * HOUR_S);
  reads.breakDown({ status: 503, json: { error: 'UpstreamFailure' } });
  const before = reads.asked();

  await reads.advance(2 * HOUR_S);

  const tries = reads.asked() - before;
  await reads.close();
  expect(tries).toBeGreaterThanOrEqual(4);
});

it('a platform that stays down gets no more calls a day after the last read was due', async () => {
  const reads = await startReads();
  reads.breakDown({ status: 503, json: { error: 'UpstreamFailure' } });
  await reads.skip(745 * HOUR_S);
  // The pause after this call ends too late.
  await reads.skip(DAY_S - 60);
  const after = await reads.nextReadAt();
  // The pause goes on.
  await reads.makeDue();
  await reads.skip(0);
  const during = await reads.nextReadAt();
  await reads.skip(90 * DAY_S);

  await reads.close();
  expect([after, during]).toEqual([{ next_read_at: null }, { next_read_at: null }]);
  expect(reads.asked()).toBe(2);
});
