/** The manual clock stands still until it is moved. A move runs everything that falls due, in due order. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../../server/config.ts';
import { openManualClock } from '../../../server/manual-clock.ts';
import { accountWithSandbox } from '../../harness/connections.ts';
import { refusal } from '../../harness/expected.ts';
import { makePost } from '../../harness/posts.ts';
import { startWorld, type World } from '../../harness/world.ts';

const world = await startWorld({ clock: 'manual' });
const ordinary = await startWorld();

function later(from: World, seconds: number): string {
  return new Date(from.clock.now().getTime() + seconds * 1000).toISOString();
}

describe('GET 200', () => {
  it('returns the current time of the clock', async () => {
    const { status, body } = await world.rest('GET /simulation/clock');

    expect(status).toBe(200);
    expect(body).toEqual({ now: world.clock.now().toISOString() });
  });
});

describe('POST 200', () => {
  it('moves time forward by seconds, and by fractions of a second', async () => {
    const expected = later(world, 90.5);

    const { status, body } = await world.rest('POST /simulation/clock', { body: { advanceSeconds: 90.5 } });

    expect(status).toBe(200);
    expect(body).toEqual({ now: expected, ran: 0 });
    expect((await world.rest('GET /simulation/clock')).body).toEqual({ now: expected });
  });

  it('runs everything that falls due, each job at its own instant and in due order', async () => {
    const { key } = await accountWithSandbox(world);
    const times = [7200, 60, 3600].map((seconds) => later(world, seconds));
    const posts = await Promise.all(times.map((scheduledFor) => makePost(world, 'sandbox', { key, scheduledFor })));
    const beyond = await makePost(world, 'sandbox', { key, scheduledFor: later(world, 7201) });

    const { body } = await world.rest('POST /simulation/clock', { body: { advanceSeconds: 7200 } });

    // Three sends, and the metrics reads of the posts that were sent at least an hour before.
    expect(body).toEqual({ now: times[0], ran: 5 });
    const sent = await world.sql<{ id: string; sent_at: string }>(
      'select id, sent_at from posts where id = any($1) order by sent_at',
      [[...posts, beyond].map(({ postId }) => postId)],
    );
    expect(sent.map(({ id, sent_at: at }) => [id, at === null ? null : new Date(at).toISOString()])).toEqual([
      [posts[1]?.postId, times[1]],
      [posts[2]?.postId, times[2]],
      [posts[0]?.postId, times[0]],
      [beyond.postId, null],
    ]);
  });

  it('runs what is due now when it moves by zero', async () => {
    const { key } = await accountWithSandbox(world);
    await world.advance(60_000);
    const { postId } = await makePost(world, 'sandbox', { key, scheduledFor: later(world, 10) });
    world.clock.advance(10_000);

    const { body } = await world.rest('POST /simulation/clock', { body: { advanceSeconds: 0 } });

    expect(body).toEqual({ now: world.clock.now().toISOString(), ran: 1 });
    expect((await world.rest(`GET /posts/${postId}`, { key })).body.post).toMatchObject({ status: 'sent' });
  });

  it('runs two concurrent moves one after the other', async () => {
    const start = world.clock.now().getTime();

    const answers = await Promise.all(
      [100, 100].map((advanceSeconds) => world.rest('POST /simulation/clock', { body: { advanceSeconds } })),
    );

    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(world.clock.now().getTime()).toBe(start + 200_000);
  });

  it('also moves time for a test key', async () => {
    const expected = later(world, 1);

    const { status, body } = await world.rest('POST /simulation/clock', {
      key: world.testKey,
      body: { advanceSeconds: 1 },
    });

    expect(status).toBe(200);
    expect(body).toEqual({ now: expected, ran: 0 });
  });
});

describe('400 invalid_request', () => {
  it.each([
    ['no number', {}, 'advanceSeconds: expected a number.'],
    ['a text', { advanceSeconds: '60' }, 'advanceSeconds: expected a number.'],
    ['a step back', { advanceSeconds: -1 }, 'advanceSeconds: expected at least 0.'],
    ['more than 400 days', { advanceSeconds: 34_560_001 }, 'advanceSeconds: expected at most 34560000.'],
    ['another field', { advanceSeconds: 1, seconds: 1 }, 'body: expected no field called "seconds".'],
  ])('refuses %s, and time does not change', async (_case, sent, message) => {
    const before = world.clock.now();

    const { status, body } = await world.rest('POST /simulation/clock', { body: sent });

    expect(status).toBe(400);
    expect(body).toMatchObject({ error: 'invalid_request', message });
    expect(world.clock.now()).toEqual(before);
  });
});

describe('401 unauthorized', () => {
  it.each(['GET /simulation/clock', 'POST /simulation/clock'] as const)('refuses %s without a key', async (call) => {
    const { status, body } = await world.rest(call, { key: null, ...(call.startsWith('POST') && { body: {} }) });

    expect(status).toBe(401);
    expect(body).toEqual(refusal('unauthorized', 'The API key is missing, unknown or revoked.'));
  });
});

describe('403 forbidden', () => {
  it.each(['GET /simulation/clock', 'POST /simulation/clock'] as const)('refuses %s to a scoped key', async (call) => {
    const profile = await world.profile();
    const scoped = await world.key({ profileId: profile.id });
    const before = world.clock.now();

    const { status, body } = await world.rest(call, {
      key: scoped.secret,
      ...(call.startsWith('POST') && { body: { advanceSeconds: 1 } }),
    });

    expect(status).toBe(403);
    expect(body).toEqual(
      refusal(
        'forbidden',
        'This key or access token is limited to one profile; this operation needs one that reaches the whole account.',
      ),
    );
    expect(world.clock.now()).toEqual(before);
  });
});

describe('404 not_found', () => {
  it.each(['GET /simulation/clock', 'POST /simulation/clock'] as const)(
    'answers %s on an install that runs on the real clock',
    async (call) => {
      const { status, body } = await ordinary.rest(call, {
        ...(call.startsWith('POST') && { body: { advanceSeconds: 1 } }),
      });

      expect(status).toBe(404);
      expect(body).toEqual(
        refusal('not_found', 'This install runs on the real clock; start it with CLOCK=manual to move time by hand.'),
      );
    },
  );
});

describe('an install that restarts', () => {
  const config = (dataDir: string, start: string) =>
    readConfig({ CLOCK: 'manual', CLOCK_START: start, DATA_DIR: dataDir });

  it('continues from the later of CLOCK_START and the instant it had reached', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'carillon-clock-'));
    onTestFinished(() => rm(dataDir, { recursive: true }));
    const first = openManualClock(config(dataDir, '2027-01-01T00:00:00Z'));
    const began = first.now();
    first.set(new Date('2027-02-01T00:00:00.500Z'));
    // Time never goes backward.
    first.set(new Date('2027-01-15T00:00:00Z'));

    const starts = ['2026-06-01T00:00:00Z', '2027-06-01T00:00:00Z'].map((start) =>
      openManualClock(config(dataDir, start)).now(),
    );

    expect([began, ...starts].map((instant) => instant.toISOString())).toEqual([
      '2027-01-01T00:00:00.000Z',
      '2027-02-01T00:00:00.500Z',
      '2027-06-01T00:00:00.000Z',
    ]);
  });
});
