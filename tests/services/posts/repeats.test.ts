/**
 * A scheduled post whose platform is unavailable is sent again automatically, at most three times and within a day
 * (docs/contract/posts.md#busy-platforms).
 */
import { describe, expect, it, onTestFinished } from 'vitest';
import { claimDueSends } from '../../../services/sending/claim-due-sends.ts';
import { nextDueAt } from '../../../services/sending/claim-due-sends.ts';
import { accountWithSandbox } from '../../harness/connections.ts';
import { plain } from '../../harness/images.ts';
import { eventsAbout, makePost, sandboxOf } from '../../harness/posts.ts';
import { startWorld, type World } from '../../harness/world.ts';
import { startFakeMastodon } from '../../platforms/fakes/fake-mastodon.ts';
import { startFakeX } from '../../platforms/fakes/fake-x.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const BUSY = 'Ding [[unavailable]]';

interface PostAnswer {
  readonly status: string;
  readonly scheduledFor: string | null;
  readonly error: { readonly code: string } | null;
}

/** A world with a sandbox, and helpers that read the state of a post. */
async function repeatWorld() {
  const world = await startWorld();
  const { key, connection } = await accountWithSandbox(world);
  const noon = world.clock.now().getTime();
  const at = (minute: number) => new Date(noon + minute * MINUTE_MS).toISOString();
  const to = async (minute: number) => {
    world.clock.set(new Date(noon + minute * MINUTE_MS));
    await world.runDue();
  };
  const schedule = async (text: string, minute = 10) =>
    (await makePost(world, 'sandbox', { key, text, scheduledFor: at(minute) })).postId;
  const post = async (id: string): Promise<PostAnswer> => (await world.rest(`GET /posts/${id}`, { key })).body.post;
  const states = async (id: string): Promise<string[]> =>
    (await world.rest(`GET /posts/${id}/attempts`, { key })).body.attempts.map(
      ({ step, state, startedAt }: { step: string; state: string; startedAt: string }) =>
        `${step} ${state} ${(new Date(startedAt).getTime() - noon) / MINUTE_MS}`,
    );
  const triesOf = async (id: string) =>
    (await world.sql<{ tries: number }>('select tries from posts where id = $1', [id]))[0]?.tries;
  /** Makes the platform available again: removes the directives from the text. */
  const recover = (id: string) => world.sql(`update posts set text = 'Ding' where id = $1`, [id]);
  const up = () => sandboxOf(world, connection.id);
  return { world, key, connection, at, to, schedule, post, states, triesOf, recover, up };
}

async function postEvents(world: World, postId: string) {
  return (await eventsAbout(world, postId)).map(({ name, payload }) => {
    const { post } = payload as { post: { reason?: string; scheduledFor: string; error?: { code: string } | null } };
    return [name, post.reason ?? post.error?.code ?? null, post.scheduledFor];
  });
}

describe('a scheduled post whose platform is unavailable', () => {
  it('is tried after 1, 5 and 15 minutes, and fails after the third repeat', async () => {
    const { world, at, to, schedule, post, states, triesOf, up } = await repeatWorld();
    const id = await schedule(BUSY);

    await to(10);
    expect(await post(id)).toMatchObject({ status: 'scheduled', scheduledFor: at(11), error: null });
    expect(await nextDueAt(world.context)).toEqual(new Date(at(11)));
    await to(11);
    expect(await post(id)).toMatchObject({ status: 'scheduled', scheduledFor: at(16), error: null });
    await to(16);
    expect(await post(id)).toMatchObject({ status: 'scheduled', scheduledFor: at(31), error: null });
    await to(31);

    expect(await post(id)).toMatchObject({ status: 'failed', error: { code: 'platform_unavailable' } });
    expect(await postEvents(world, id)).toEqual([
      ['post.rescheduled', 'platform_unavailable', at(11)],
      ['post.rescheduled', 'platform_unavailable', at(16)],
      ['post.rescheduled', 'platform_unavailable', at(31)],
      ['post.failed', 'platform_unavailable', at(31)],
    ]);
    expect(await states(id)).toEqual([10, 11, 16, 31].map((minute) => `head unavailable ${minute}`));
    expect([await triesOf(id), await up()]).toEqual([4, []]);
    expect(await nextDueAt(world.context)).toBeNull();
  });

  it('is sent once as soon as the platform is available again', async () => {
    const { world, to, schedule, post, recover, states, triesOf, up } = await repeatWorld();
    const id = await schedule(BUSY);
    await to(10);
    await recover(id);

    await to(11);
    await to(60);

    expect(await post(id)).toMatchObject({ status: 'sent', error: null });
    expect(await states(id)).toEqual(['head unavailable 10', 'head accepted 11']);
    expect([await triesOf(id), (await up()).length]).toEqual([2, 1]);
    expect((await postEvents(world, id)).map(([name]) => name)).toEqual(['post.rescheduled', 'post.sent']);
  });

  it('is not retried before the time that the platform asked for', async () => {
    const server = await startFakeMastodon({ now: () => world.clock.now() });
    onTestFinished(() => server.close());
    const world = await startWorld();
    const noon = world.clock.now().getTime();
    const at = (minute: number) => new Date(noon + minute * MINUTE_MS).toISOString();
    server.addAccount('alice', 'token');
    const credentials = { instanceUrl: server.url, accessToken: 'token' };
    await world.rest('POST /connections', { body: { platformId: 'mastodon', slug: 'masto', credentials } });
    const { postId } = await makePost(world, 'masto', { scheduledFor: at(1) });
    const busy = (seconds: number) => ({ status: 429, json: {}, headers: { 'retry-after': String(seconds) } });
    server.answers['POST /api/v1/statuses'] = [busy(600), busy(30)];

    await world.advance(MINUTE_MS);
    const first = (await world.rest(`GET /posts/${postId}`)).body.post;
    expect([first.scheduledFor, await nextDueAt(world.context)]).toEqual([at(11), new Date(at(11))]);
    await world.advance(10 * MINUTE_MS);
    const second = (await world.rest(`GET /posts/${postId}`)).body.post;
    expect(second).toMatchObject({ status: 'scheduled', scheduledFor: at(16) });
    await world.advance(5 * MINUTE_MS);

    expect((await world.rest(`GET /posts/${postId}`)).body.post.status).toBe('sent');
    expect(server.calls['POST /api/v1/statuses']).toBe(3);
  });

  it.each(['POST /2/tweets', 'POST /2/media/upload'])(
    'is not retried before the time that the platform asked for with HTTP 503 at %s',
    async (route) => {
      const server = await startFakeX({ now: () => world.clock.now() });
      onTestFinished(() => server.close());
      const world = await startWorld({ env: { X_API_URL: server.url } });
      const noon = world.clock.now().getTime();
      const at = (minute: number) => new Date(noon + minute * MINUTE_MS).toISOString();
      server.addAccount('alice', 'token');
      const body = { platformId: 'x', slug: 'on-x', credentials: { accessToken: 'token' } };
      await world.rest('POST /connections', { body });
      const raw = await plain(20, 20).png().toBuffer();
      const { body: uploaded } = await world.rest('POST /media', { raw, headers: { 'content-type': 'image/png' } });
      const { postId } = await makePost(world, 'on-x', { scheduledFor: at(1), media: [{ id: uploaded.media.id }] });
      server.answers[route] = [{ status: 503, json: {}, headers: { 'retry-after': '600' } }];

      await world.advance(MINUTE_MS);
      const repeated = (await world.rest(`GET /posts/${postId}`)).body.post;
      await world.advance(10 * MINUTE_MS);

      expect(repeated).toMatchObject({ status: 'scheduled', scheduledFor: at(11) });
      expect((await world.rest(`GET /posts/${postId}`)).body.post.status).toBe('sent');
      expect(server.posts()).toHaveLength(1);
    },
  );

  it('is not retried if that would be more than a day after its time', async () => {
    const server = await startFakeMastodon({ now: () => world.clock.now() });
    onTestFinished(() => server.close());
    const world = await startWorld();
    server.addAccount('alice', 'token');
    const credentials = { instanceUrl: server.url, accessToken: 'token' };
    await world.rest('POST /connections', { body: { platformId: 'mastodon', slug: 'masto', credentials } });
    const noon = world.clock.now().getTime();
    const times = [24 * 3_600, 24 * 3_600 + 1];
    const ends: string[] = [];
    for (const seconds of times) {
      world.clock.set(new Date(noon));
      await world.sql('update connections set backoff_until = null');
      const scheduledFor = new Date(noon + MINUTE_MS).toISOString();
      const { postId } = await makePost(world, 'masto', { scheduledFor });
      server.answers['POST /api/v1/statuses'] = [
        { status: 429, json: {}, headers: { 'retry-after': String(seconds) } },
      ];
      await world.advance(MINUTE_MS);
      ends.push((await world.rest(`GET /posts/${postId}`)).body.post.status);
    }

    expect(ends).toEqual(['scheduled', 'failed']);
  });

  it('measures the day from its original time, also if no worker ran', async () => {
    const { at, to, schedule, post } = await repeatWorld();
    const id = await schedule(BUSY);
    await to(10);

    await to(10 + 24 * 60 + 0.5);

    expect(await post(id)).toMatchObject({
      status: 'failed',
      error: {
        code: 'schedule_missed',
        message: `The post was scheduled for ${at(10)}, and could not be sent within 24 hours of that time.`,
      },
    });
  });

  it('can be retried by hand after it has failed, and gets new repeats when it is scheduled', async () => {
    const { world, key, at, to, schedule, post, triesOf } = await repeatWorld();
    const id = await schedule(BUSY);
    for (const minute of [10, 11, 16, 31]) await to(minute);

    const now = await world.rest(`POST /posts/${id}/retry`, { key, body: {} });
    expect(now.body.result).toMatchObject({ status: 'failed', error: { code: 'platform_unavailable' } });
    await world.rest(`POST /posts/${id}/retry`, { key, body: { scheduledFor: at(60) } });
    await to(60);

    expect(await post(id)).toMatchObject({ status: 'scheduled', scheduledFor: at(61) });
    expect(await triesOf(id)).toBe(6);
  });

  it('fails if its connection was deleted during the send, because posts cannot wait for it', async () => {
    const { world, key, connection, at, schedule, post } = await repeatWorld();
    const id = await schedule(BUSY);
    world.clock.set(new Date(at(10)));
    const { sends } = await claimDueSends(world.context);
    await world.rest(`DELETE /connections/${connection.id}`, { key });

    await Promise.all(sends.map((send) => world.context.sends.send(send)));

    expect(await post(id)).toMatchObject({ status: 'failed', error: { code: 'platform_unavailable' } });
    expect((await postEvents(world, id)).map(([name]) => name)).toEqual(['post.failed']);
  });

  it('can be cancelled while it waits', async () => {
    const { world, key, to, schedule, post, triesOf } = await repeatWorld();
    const id = await schedule(BUSY);
    await to(10);

    const { body } = await world.rest(`DELETE /posts/${id}`, { key });
    await to(60);

    expect(body).toEqual({ id, status: 'cancelled' });
    expect([(await post(id)).status, await triesOf(id)]).toEqual(['cancelled', 1]);
  });
});

describe('a post that is not repeated', () => {
  it('was to be sent immediately', async () => {
    const { world, key, to, post, triesOf } = await repeatWorld();
    const { postId, status } = await makePost(world, 'sandbox', { key, text: BUSY });

    await to(60);

    expect([status, (await post(postId)).status, await triesOf(postId)]).toEqual(['failed', 'failed', 1]);
  });

  it.each([
    ['[[reject]]', 'platform_rejected'],
    ['[[reconnect]]', 'reconnect_required'],
    ['[[vanish]]', 'outcome_unknown'],
  ])('ended with another outcome: %s', async (text, code) => {
    const { to, schedule, post, triesOf } = await repeatWorld();
    const id = await schedule(text);

    await to(10);
    await to(60);

    expect(await post(id)).toMatchObject({ status: 'failed', error: { code } });
    expect(await triesOf(id)).toBe(1);
  });
});

describe('a queued post whose platform is unavailable', () => {
  async function queued() {
    const base = await repeatWorld();
    const { world, key, connection } = base;
    const slots = [0, 1, 2, 3, 4, 5, 6].map((weekday) => ({ weekday, time: '13:00' }));
    const queue = (body: object) => world.rest(`PATCH /connections/${connection.id}/queue`, { key, body });
    await queue({ slots, timezone: 'UTC' });
    const body = { text: BUSY, connectionSlugs: ['sandbox'], queue: true };
    const id: string = (await world.rest('POST /posts', { key, body })).body.results[0].postId;
    return { ...base, queue, id };
  }

  it('is repeated in the same way, and takes no slot in the meantime', async () => {
    const { world, key, at, to, post, id, recover } = await queued();
    await to(60);

    expect(await post(id)).toMatchObject({ status: 'scheduled', scheduledFor: at(61) });
    const { body } = await world.rest(`POST /posts`, {
      key,
      body: { text: 'Next', connectionSlugs: ['sandbox'], queue: true },
    });
    expect(body.results[0].scheduledFor).toBe(at(60 + 24 * 60));
    await recover(id);
    await to(61);
    expect(await post(id)).toMatchObject({ status: 'sent', scheduledFor: at(61) });
  });

  it('is held by a pause, and moves to the next slot when the queue resumes', async () => {
    const { world, at, to, post, id, queue, recover } = await queued();
    await to(60);
    await recover(id);
    await queue({ paused: true });
    await to(90);
    expect(await post(id)).toMatchObject({ status: 'scheduled', scheduledFor: at(61) });

    await queue({ paused: false });
    await to(60 + 24 * 60);

    expect(await post(id)).toMatchObject({ status: 'sent', scheduledFor: at(60 + 24 * 60) });
    expect((await postEvents(world, id)).map(([name, reason]) => [name, reason])).toEqual([
      ['post.rescheduled', 'platform_unavailable'],
      ['post.rescheduled', 'missed_slot'],
      ['post.sent', null],
    ]);
  });
});

describe('a post that the service moves to a new time', () => {
  const DAY = 24 * 60;

  it('has all its repeats again in the slot after the one that it missed', async () => {
    const { world, key, connection, at, to, post, triesOf } = await repeatWorld();
    const slots = [0, 1, 2, 3, 4, 5, 6].map((weekday) => ({ weekday, time: '13:00' }));
    await world.rest(`PATCH /connections/${connection.id}/queue`, { key, body: { slots } });
    const { postId } = await makePost(world, 'sandbox', { key, text: BUSY, queue: true });
    for (const minute of [60, 61, 66]) await to(minute);
    // No worker runs when the third repeat is due, at 81.
    await to(100);
    expect(await post(postId)).toMatchObject({ status: 'scheduled', scheduledFor: at(60 + DAY) });

    for (const minute of [60, 61, 66, 81]) await to(minute + DAY);

    expect(await post(postId)).toMatchObject({ status: 'failed', error: { code: 'platform_unavailable' } });
    expect(await triesOf(postId)).toBe(7);
  });

  it('is late by the day to which its plan deferred it, although it was repeated before', async () => {
    const { world, connection, at, to, schedule, post, recover } = await repeatWorld();
    const fillDay = () =>
      world.sql(
        `insert into posts (id, account_id, connection_id, connection_slug, platform_id, mode, status, text, original_text, tags,
           thread, created_at, sent_at)
         select gen_random_uuid(), account_id, id, slug, 'sandbox', 'live', 'sent', 'Before', 'Before', '{}', '{}', $2, $2
         from connections, generate_series(1, 100) where id = $1`,
        [connection.id, world.clock.now()],
      );
    await world.sql(`update accounts set plan = 'free' where id = (select account_id from connections where id = $1)`, [
      connection.id,
    ]);
    const id = await schedule(BUSY);
    await to(10);
    await recover(id);
    await fillDay();
    await to(11);
    expect(await post(id)).toMatchObject({ status: 'scheduled', scheduledFor: at(DAY / 2) });
    world.clock.set(new Date(at(DAY / 2)));
    await fillDay();
    await world.runDue();
    expect(await post(id)).toMatchObject({ status: 'scheduled', scheduledFor: at(DAY / 2 + DAY) });

    await to(DAY / 2 + DAY + 6);

    expect(await post(id)).toMatchObject({ status: 'sent', error: null });
  });
});

describe('a repeat and a process that was killed', () => {
  it('before the call is sent by the recovery, once, and repeated from there', async () => {
    const { world, at, to, schedule, post, states, recover, triesOf, up } = await repeatWorld();
    const id = await schedule(BUSY);
    await to(10);
    world.clock.set(new Date(at(11)));
    await claimDueSends(world.context);

    await to(12);
    expect(await post(id)).toMatchObject({ status: 'scheduled', scheduledFor: at(17) });
    expect(await states(id)).toEqual(['head unavailable 10', 'head unavailable 11']);
    await recover(id);
    await to(17);

    expect(await post(id)).toMatchObject({ status: 'sent' });
    expect([await triesOf(id), (await up()).map(({ calls }) => calls)]).toEqual([3, [1]]);
  });

  it('after the call is found by the recovery, and not sent twice', async () => {
    const { world, at, to, schedule, post, recover, up } = await repeatWorld();
    const id = await schedule(BUSY);
    await to(10);
    await recover(id);
    world.clock.set(new Date(at(11)));
    const { sends } = await claimDueSends(world.context);
    const { sendPost } = await import('../../../services/sending/send-post.ts');
    for (const send of sends) await sendPost(world.context, send);
    expect(await post(id)).toMatchObject({ status: 'processing' });

    await to(12);
    await to(60);

    expect(await post(id)).toMatchObject({ status: 'sent' });
    expect(await up()).toHaveLength(1);
    expect((await postEvents(world, id)).map(([name]) => name)).toEqual(['post.rescheduled', 'post.sent']);
  });
});

describe('the manual clock', () => {
  it('runs the repeats within one advance', async () => {
    const world = await startWorld({ clock: 'manual' });
    const scheduledFor = new Date(world.clock.now().getTime() + MINUTE_MS).toISOString();
    const { postId } = await makePost(world, world.sandboxSlug, { text: BUSY, scheduledFor });

    const { body } = await world.rest('POST /simulation/clock', { body: { advanceSeconds: HOUR_MS / 1_000 } });

    expect(body.ran).toBeGreaterThanOrEqual(4);
    expect((await postEvents(world, postId)).map(([name]) => name)).toEqual([
      'post.rescheduled',
      'post.rescheduled',
      'post.rescheduled',
      'post.failed',
    ]);
  });
});
