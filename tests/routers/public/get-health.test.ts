/** GET /health returns 200, is degraded when the database or a worker is not well, and is cached for ten seconds. */
import { describe, expect, it } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import { runRound } from '../../../jobs/run-round.ts';
import { createRuntime } from '../../../server/runtime.ts';
import { recordStart } from '../../../services/workers/record-start.ts';
import { readHealth } from '../../../services/health/read-health.ts';
import { START } from '../../harness/test-clock.ts';
import { withResults } from '../../harness/interleave.ts';
import { startWorld, type World } from '../../harness/world.ts';

const world = await startWorld();

/** The body of /health at this instant, after its cache has expired. */
async function healthNow(from: World) {
  const { status, body } = await from.rest('GET /health', { key: null });
  return { status, body };
}

describe('200', () => {
  it('is degraded until a worker has run', async () => {
    await using fresh = await startWorld();

    const { status, body } = await healthNow(fresh);

    expect(status).toBe(200);
    expect(body).toEqual({
      status: 'degraded',
      checks: {
        database: { ok: true, latencyMs: expect.any(Number) },
        scheduledPosts: { ok: false, lastRunAt: null, lastOkAt: null },
        webhookDeliveries: { ok: false, lastRunAt: null, lastOkAt: null },
        xUsageSweep: { ok: false, lastRunAt: null, lastOkAt: null },
      },
      version: packageJson.version,
      time: START.toISOString(),
    });
    expect(Number.isInteger(body.checks.database.latencyMs)).toBe(true);
  });

  it('is ok when the database and the workers are, with the time of the last worker tick', async () => {
    await world.runDue();

    const { status, body } = await healthNow(world);

    expect(status).toBe(200);
    expect(body).toEqual({
      status: 'ok',
      checks: {
        database: { ok: true, latencyMs: expect.any(Number) },
        scheduledPosts: { ok: true, lastRunAt: START.toISOString(), lastOkAt: START.toISOString() },
        webhookDeliveries: { ok: true, lastRunAt: START.toISOString(), lastOkAt: START.toISOString() },
        xUsageSweep: { ok: true, lastRunAt: START.toISOString(), lastOkAt: START.toISOString() },
      },
      version: packageJson.version,
      time: START.toISOString(),
    });
  });

  it('is degraded when the clock was set back, until a worker has run', async () => {
    await using fresh = await startWorld();
    fresh.clock.advance(3_600_000);
    await recordStart(fresh.context);
    await fresh.runDue();
    const before = await healthNow(fresh);
    fresh.clock.advance(-3_600_000);

    const after = await healthNow(fresh);

    expect([before.body.status, after.body.status, after.body.time]).toEqual(['ok', 'degraded', START.toISOString()]);
    await fresh.runDue();
    fresh.clock.advance(10_000);
    expect((await healthNow(fresh)).body.status).toBe('ok');
  });

  it('returns the same for ten seconds, and then a new answer', async () => {
    await world.advance(60_000);
    const first = await healthNow(world);
    world.clock.advance(9_999);
    const kept = await healthNow(world);
    world.clock.advance(1);

    const refreshed = await healthNow(world);

    expect(kept.body).toEqual(first.body);
    expect(refreshed.body.time).toBe(world.clock.now().toISOString());
  });

  it.each([
    ['ok 120 seconds after the last success', 120_000, 'ok'],
    ['degraded after more than that', 120_001, 'degraded'],
  ])('is %s', async (_case, ms, expected) => {
    await world.advance(60_000);
    const lastOkAt = world.clock.now().toISOString();
    world.clock.advance(ms);

    const { body } = await healthNow(world);

    expect(body).toMatchObject({
      status: expected,
      checks: { scheduledPosts: { ok: expected === 'ok', lastRunAt: lastOkAt, lastOkAt } },
    });
  });

  it.each([
    ['ok for the first two minutes of a worker', 120_000, 'ok'],
    ['degraded when it has not done a round by then', 120_001, 'degraded'],
  ])('is %s', async (_case, ms, expected) => {
    await using fresh = await startWorld();
    await recordStart(fresh.context);
    fresh.clock.advance(ms);

    const { body } = await healthNow(fresh);

    expect(body).toMatchObject({
      status: expected,
      checks: { scheduledPosts: { ok: expected === 'ok', lastRunAt: null, lastOkAt: null } },
    });
  });

  it('is ok right after a worker recovers from a long outage, but not after one that restarts repeatedly', async () => {
    await using fresh = await startWorld();
    await fresh.runDue();
    fresh.clock.advance(86_400_000);
    await recordStart(fresh.context);
    const back = await healthNow(fresh);
    fresh.clock.advance(90_000);
    await recordStart(fresh.context);
    fresh.clock.advance(90_000);

    const again = await healthNow(fresh);

    expect([back.body.status, again.body.status]).toEqual(['ok', 'degraded']);
  });

  it('is degraded until the process has finished starting, and then ok at once', async () => {
    await using fresh = await startWorld();
    await fresh.runDue();
    const startup = { hasEnded: false };
    const { config, clock, random, fetch, openSocket, receivers, db, log } = fresh.context;
    const starting = createRuntime({
      config,
      clock,
      random,
      fetch,
      openSocket,
      receivers,
      db,
      log,
      encryptionKeys: [Buffer.alloc(32)],
      startup,
    });

    const statuses = [(await starting.health()).status];
    startup.hasEnded = true;
    statuses.push((await starting.health()).status);

    expect(statuses).toEqual(['degraded', 'ok']);
  });

  it('reports a worker that runs and fails', async () => {
    await world.advance(60_000);
    const lastOkAt = world.clock.now().toISOString();
    world.clock.advance(121_000);
    const run = () => Promise.reject(new Error('out of order'));
    const failing = { name: 'scheduledPosts', runsOn: 'every worker', run } as const;
    await runRound(world.context, failing, new AbortController().signal);

    const { body } = await healthNow(world);

    expect(body).toMatchObject({
      status: 'degraded',
      checks: { scheduledPosts: { ok: false, lastRunAt: world.clock.now().toISOString(), lastOkAt } },
    });
  });

  it.each([
    ['refuses', () => Promise.reject(new Error('connection refused'))],
    ['does not answer within its time', () => new Promise<never>(() => undefined)],
  ])('is degraded, but still 200, when the database %s', async (_case, answer) => {
    const em = () => withResults(world.db.em(), answer);
    const overdue = { ...world.context.clock, deadline: () => AbortSignal.abort() };
    const context = { ...world.context, clock: overdue, db: { ...world.context.db, em } } as never;

    const health = await readHealth(context);

    expect(health).toEqual({
      status: 'degraded',
      checks: {
        database: { ok: false, latencyMs: expect.any(Number) },
        scheduledPosts: { ok: false, lastRunAt: null, lastOkAt: null },
        webhookDeliveries: { ok: false, lastRunAt: null, lastOkAt: null },
        xUsageSweep: { ok: false, lastRunAt: null, lastOkAt: null },
      },
      version: packageJson.version,
      time: world.clock.now().toISOString(),
    });
  });

  it('reads the database once for many concurrent requests', async () => {
    world.clock.advance(60_000);
    const answers = await Promise.all(Array.from({ length: 20 }, () => healthNow(world)));

    expect(new Set(answers.map(({ body }) => JSON.stringify(body)))).toHaveProperty('size', 1);
  });

  it('needs no key, and ignores an invalid one', async () => {
    const answers = await Promise.all([null, 'wrong', world.liveKey].map((key) => world.rest('GET /health', { key })));

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  });
});
