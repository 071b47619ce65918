/**
 * Posts that became due while no worker could send them are never lost, stuck, or sent late without notice
 * (docs/contract/scheduling.md#late-posts).
 */
import { describe, expect, it, onTestFinished } from 'vitest';
import { nextDueAt } from '../../../services/sending/claim-due-sends.ts';
import { claimLateSends } from '../../../services/sending/claim-late-sends.ts';
import { connectSandbox } from '../../harness/connections.ts';
import { makeAccount } from '../../harness/accounts.ts';
import { eventsAbout, makePost, sandboxOf } from '../../harness/posts.ts';
import { startWorld } from '../../harness/world.ts';
import { startFakeBluesky } from '../../platforms/fakes/fake-bluesky.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A sandbox with posts scheduled by hand at these minutes after noon. No worker runs until `wake`. */
async function sleeping(...minutes: number[]) {
  const world = await startWorld();
  const { key } = await makeAccount(world);
  const connection = await connectSandbox(world, { key, slug: 'bell' });
  const noon = world.clock.now().getTime();
  const ids: string[] = [];
  for (const minute of minutes) {
    const scheduledFor = new Date(noon + minute * MINUTE_MS).toISOString();
    ids.push((await makePost(world, 'bell', { key, text: `At ${minute}`, scheduledFor })).postId);
  }
  const wake = async (afterMs: number) => {
    world.clock.set(new Date(noon + afterMs));
    await world.runDue();
  };
  const post = async (id: string) => (await world.rest(`GET /posts/${id}`, { key })).body.post;
  const at = (minute: number) => new Date(noon + minute * MINUTE_MS).toISOString();
  const texts = async () => (await sandboxOf(world, connection.id)).map(({ text }) => text);
  return { world, key, connection, ids, wake, post, at, texts };
}

describe('a post that is late', () => {
  it.each([
    ['by five minutes less a millisecond', 5 * MINUTE_MS - 1],
    ['by exactly five minutes', 5 * MINUTE_MS],
    ['by five minutes and a millisecond', 5 * MINUTE_MS + 1],
    ['by twenty-four hours', 24 * HOUR_MS],
  ])('%s is sent immediately, with its original time', async (_case, lateMs) => {
    const { ids, wake, post, at, world } = await sleeping(1);

    await wake(MINUTE_MS + lateMs);

    expect(await post(ids[0] ?? '')).toMatchObject({ status: 'sent', scheduledFor: at(1) });
    expect((await eventsAbout(world, ids[0] ?? '')).map(({ name }) => name)).toEqual(['post.sent']);
  });

  it('fails by more than twenty-four hours with schedule_missed, and nothing is sent', async () => {
    const { ids, wake, post, at, texts, world } = await sleeping(1);

    await wake(MINUTE_MS + 24 * HOUR_MS + 1);

    const error = {
      code: 'schedule_missed',
      message: `The post was scheduled for ${at(1)}, and could not be sent within 24 hours of that time.`,
    };
    expect(await post(ids[0] ?? '')).toMatchObject({ status: 'failed', scheduledFor: at(1), error });
    const [event, ...others] = await eventsAbout(world, ids[0] ?? '');
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      name: 'post.failed',
      payload: { post: { id: ids[0], text: 'At 1', status: 'failed', scheduledFor: at(1), url: null, error } },
    });
    expect(await texts()).toEqual([]);
  });

  it('can be sent again after it failed', async () => {
    const { ids, wake, key, world, texts } = await sleeping(1);
    await wake(26 * HOUR_MS);

    const { body } = await world.rest(`POST /posts/${ids[0]}/retry`, { key, body: {} });

    expect(body.result).toMatchObject({ status: 'sent', postId: ids[0] });
    expect(await texts()).toEqual(['At 1']);
  });
});

describe('two posts of one connection at the same time', () => {
  it.each([
    ['5:00.000', 0, ['sent', 'sent']],
    ['5:00.001', 1, ['sent', 'scheduled']],
  ])('%s late: %s ms past the tolerance they are %j', async (_late, pastMs, statuses) => {
    const { ids, wake, post, at } = await sleeping(1, 1);

    await wake(6 * MINUTE_MS + pastMs);

    const posts = await Promise.all(ids.map(post));
    expect(posts.map(({ status }) => status)).toEqual(statuses);
    expect(posts[0]?.scheduledFor).toBe(at(1));
  });

  it.each([
    ['exactly 24 h', 0, ['sent', 'scheduled']],
    ['24 h and a millisecond', 1, ['failed', 'failed']],
  ])('%s late: %s ms past the day they are %j', async (_late, pastMs, statuses) => {
    const { ids, wake, post } = await sleeping(1, 1);

    await wake(MINUTE_MS + 24 * HOUR_MS + pastMs);

    const posts = await Promise.all(ids.map(post));
    expect(posts.map(({ status }) => status)).toEqual(statuses);
  });
});

describe('late posts of one connection', () => {
  it('are sent a minute apart in their order: the first immediately, the others with an event each', async () => {
    const { ids, wake, post, at, texts, world } = await sleeping(3, 1, 2, 200);

    await wake(HOUR_MS);

    expect(await texts()).toEqual(['At 1']);
    const times = await Promise.all(ids.map(async (id) => (await post(id)).scheduledFor));
    expect(times).toEqual([at(62), at(1), at(61), at(200)]);
    const reasons = await Promise.all(
      ids.map(async (id) =>
        (await eventsAbout(world, id)).map(({ name, payload }) => [
          name,
          (payload as { post: { reason?: string; scheduledFor: string } }).post,
        ]),
      ),
    );
    expect(reasons[0]).toEqual([
      [
        'post.rescheduled',
        { id: ids[0], connectionSlug: 'bell', scheduledFor: at(62), reason: 'catch_up', profileId: null },
      ],
    ]);
    expect(reasons[2]).toMatchObject([['post.rescheduled', { scheduledFor: at(61), reason: 'catch_up' }]]);
    expect(reasons[3]).toEqual([]);

    await wake(61 * MINUTE_MS);
    expect(await texts()).toEqual(['At 1', 'At 2']);
    await wake(62 * MINUTE_MS);
    expect(await texts()).toEqual(['At 1', 'At 2', 'At 3']);
    expect((await eventsAbout(world, ids[0] ?? '')).map(({ name }) => name)).toEqual(['post.rescheduled', 'post.sent']);
  });

  it('get new times if no worker runs at their delayed times', async () => {
    const { wake, post, at, ids, texts } = await sleeping(1, 2, 3);
    await wake(HOUR_MS);

    await wake(2 * HOUR_MS);

    expect(await texts()).toEqual(['At 1', 'At 2']);
    expect(await post(ids[2] ?? '')).toMatchObject({ status: 'scheduled', scheduledFor: at(121) });
  });

  it('fail a day after the time that their user chose, also after several outages', async () => {
    const { wake, post, at, ids, texts } = await sleeping(1, 2, 3);
    await wake(23 * HOUR_MS);
    expect(await texts()).toEqual(['At 1']);

    await wake(46 * HOUR_MS);

    const error = {
      code: 'schedule_missed',
      message: `The post was scheduled for ${at(2)}, and could not be sent within 24 hours of that time.`,
    };
    expect(await post(ids[1] ?? '')).toMatchObject({ status: 'failed', error });
    expect(await post(ids[2] ?? '')).toMatchObject({ status: 'failed', error: { code: 'schedule_missed' } });
    expect(await texts()).toEqual(['At 1']);
  });

  it('do not delay posts that are due on time', async () => {
    const { wake, texts } = await sleeping(1, 2, 60);

    await wake(HOUR_MS);

    expect((await texts()).toSorted()).toEqual(['At 1', 'At 60']);
  });

  it('do not wait for posts of another connection', async () => {
    const { world, key, wake } = await sleeping(1, 2);
    const other = await connectSandbox(world, { key, slug: 'other' });
    await makePost(world, 'other', { key, scheduledFor: new Date(world.clock.now().getTime() + 1).toISOString() });

    await wake(HOUR_MS);

    expect(await sandboxOf(world, other.id)).toHaveLength(1);
  });

  it('are settled once by two concurrent workers', async () => {
    const { world, ids, wake, texts } = await sleeping(1, 2, 3);

    await Promise.all([wake(HOUR_MS), wake(HOUR_MS)]);

    expect(await texts()).toEqual(['At 1']);
    const events = await Promise.all(ids.map((id) => eventsAbout(world, id)));
    expect(events.map((about) => about.length)).toEqual([1, 1, 1]);
  });
});

describe('late posts of several connections', () => {
  it('are claimed one connection after another, so that a send starts before the next claim', async () => {
    const { world, key, ids, at } = await sleeping(1);
    const other = await connectSandbox(world, { key, slug: 'other' });
    const { postId } = await makePost(world, other.slug, { key, scheduledFor: at(1) });
    world.clock.set(new Date(at(60)));
    const statuses = async () => {
      const rows = await world.sql<{ status: string }>('select status from posts where id = any($1)', [
        [...ids, postId],
      ]);
      return rows.map(({ status }) => status).toSorted();
    };
    const seen: string[][] = [];

    for await (const { sends } of claimLateSends(world.context)) {
      seen.push(await statuses());
      await Promise.all(sends.map((send) => world.context.sends.send(send)));
    }

    expect(seen).toEqual([
      ['processing', 'scheduled'],
      ['processing', 'sent'],
    ]);
    expect(await statuses()).toEqual(['sent', 'sent']);
  });

  it('are sent, as are due posts, when the transaction of one connection fails', async () => {
    const { world, key, connection, ids, post, wake, at } = await sleeping(1);
    const others: string[] = [];
    for (const [slug, minute] of [['one', 1] as const, ['two', 1] as const, ['due', 60] as const]) {
      await connectSandbox(world, { key, slug });
      others.push((await makePost(world, slug, { key, scheduledFor: at(minute) })).postId);
    }
    await world.sql(`create function refuse() returns trigger language plpgsql as $$ begin
      raise exception 'refused by the test'; end $$`);
    await world.sql(`create trigger refuse before update of claim on posts for each row
      when (old.connection_id = '${connection.id}') execute function refuse()`);
    onTestFinished(() => world.sql('drop function if exists refuse cascade').then(() => undefined));

    await wake(HOUR_MS);

    const statuses = async () => (await Promise.all([...ids, ...others].map(post))).map(({ status }) => status);
    expect(await statuses()).toEqual(['scheduled', 'sent', 'sent', 'sent']);
    expect(world.logged.join('')).toContain('the late posts of a connection could not be settled');
    await world.sql('drop function refuse cascade');
    await world.runDue();
    expect(await statuses()).toEqual(['sent', 'sent', 'sent', 'sent']);
  });
});

describe('a connection with a wait time from its platform', () => {
  it('gets no calls until then; its posts wait, and others do not', async () => {
    const { world, key, connection, wake, post, ids, at, texts } = await sleeping(1, 2);
    const other = await connectSandbox(world, { key, slug: 'other' });
    await makePost(world, 'other', { key, scheduledFor: at(1) });
    await world.sql('update connections set backoff_until = $2 where id = $1', [connection.id, at(4)]);

    await wake(2 * MINUTE_MS);

    expect(await sandboxOf(world, other.id)).toHaveLength(1);
    expect(await texts()).toEqual([]);
    expect(await nextDueAt(world.context)).toEqual(new Date(at(4)));
    await wake(4 * MINUTE_MS);
    expect(await texts()).toEqual(['At 1', 'At 2']);
    expect(await post(ids[0] ?? '')).toMatchObject({ status: 'sent', scheduledFor: at(1) });
  });

  it('sends late posts afterwards if the wait was longer than five minutes', async () => {
    const { world, connection, wake, post, ids, at, texts } = await sleeping(1, 2);
    await world.sql('update connections set backoff_until = $2 where id = $1', [connection.id, at(30)]);
    await wake(20 * MINUTE_MS);
    expect(await texts()).toEqual([]);

    await wake(30 * MINUTE_MS);

    expect(await texts()).toEqual(['At 1']);
    expect(await post(ids[1] ?? '')).toMatchObject({ status: 'scheduled', scheduledFor: at(31) });
  });
});

describe('a platform that answers 429', () => {
  it('gets no calls for the time it asks to wait, on that connection only', async () => {
    const server = await startFakeBluesky({ now: () => world.clock.now() });
    onTestFinished(() => server.close());
    const world = await startWorld({ env: { BLUESKY_SERVICE_URL: server.url } });
    const noon = world.clock.now().getTime();
    const after = (seconds: number) => new Date(noon + seconds * 1000).toISOString();
    const ids: Record<string, string> = {};
    for (const name of ['alice', 'bob']) {
      server.addAccount(`${name}.test`, `${name}-password`);
      const credentials = { identifier: `${name}.test`, appPassword: `${name}-password` };
      await world.rest('POST /connections', { body: { platformId: 'bluesky', credentials, slug: name } });
    }
    ids['refused'] = (await makePost(world, 'alice', { text: 'refused', scheduledFor: after(10) })).postId;
    ids['waits'] = (await makePost(world, 'alice', { text: 'waits', scheduledFor: after(20) })).postId;
    ids['other'] = (await makePost(world, 'bob', { text: 'other', scheduledFor: after(20) })).postId;
    const statusOf = async (name: string) => (await world.rest(`GET /posts/${ids[name]}`)).body.post.status as string;
    server.faults.push('rate_limited');

    await world.advance(10_000);
    await world.advance(10_000);

    // The fake asks to wait for 30 seconds.
    expect([await statusOf('refused'), await statusOf('waits'), await statusOf('other')]).toEqual([
      'scheduled',
      'scheduled',
      'sent',
    ]);
    expect(await nextDueAt(world.context)).toEqual(new Date(after(40)));
    await world.advance(20_000);
    expect([await statusOf('refused'), await statusOf('waits')]).toEqual(['scheduled', 'sent']);
    await world.advance(30_000);
    expect(await statusOf('refused')).toBe('sent');
  });
});
