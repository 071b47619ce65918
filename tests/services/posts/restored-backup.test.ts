/**
 * A backup that is older than some of the sends: what was due is held, looked up, and never sent twice
 * (docs/decisions/0086-hold-due-posts-after-a-restore.md).
 */
import { afterAll, afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { restoreCommand } from '../../../cli/restore-command.ts';
import { scheduledPosts } from '../../../jobs/scheduled-posts.ts';
import { claimDueSends, nextDueAt } from '../../../services/sending/claim-due-sends.ts';
import { claimHeldSends } from '../../../services/sending/claim-held-sends.ts';
import { createRestoreWatch, type RestoreWatch } from '../../../services/restores/restore-watch.ts';
import { accountWithSandbox } from '../../harness/connections.ts';
import { withResults } from '../../harness/interleave.ts';
import { OPERATOR } from '../../harness/owner.ts';
import { eventsAbout, makePost } from '../../harness/posts.ts';
import { startWorld } from '../../harness/world.ts';
import { startFakeMastodon } from '../../platforms/fakes/fake-mastodon.ts';

const MINUTE_MS = 60_000;
const CREATE = 'POST /api/v1/statuses';

const world = await startWorld({ env: { OPERATOR_TOKEN: OPERATOR } });
const server = await startFakeMastodon({ now: () => world.clock.now() });
afterAll(() => server.close());
server.addAccount('alice', 'token');
const credentials = { instanceUrl: server.url, accessToken: 'token' };
await world.rest('POST /connections', { body: { platformId: 'mastodon', slug: 'masto', credentials } });
await world.runDue();

/** How many posts the platform was asked to create before this test. */
let createdBefore = 0;
const created = () => (server.calls[CREATE] ?? 0) - createdBefore;

/** The world's process remembers the highest beat. */
let beats = 0;

beforeEach(() => {
  createdBefore = server.calls[CREATE] ?? 0;
});
afterEach(async () => {
  await world.sql('truncate posts, database_marks cascade');
  beats += 1_000_000;
  await world.sql('insert into database_marks (id, beat) values (1, $1)', [beats]);
});

/** Schedules a post so many minutes from now and returns its id. */
async function schedule(minutes: number, text: string, more: object = {}): Promise<string> {
  const scheduledFor = new Date(world.clock.now().getTime() + minutes * MINUTE_MS).toISOString();
  return (await makePost(world, 'masto', { text, scheduledFor, ...more })).postId;
}

async function post(postId: string) {
  return (await world.rest(`GET /posts/${postId}`)).body.post;
}

/** Runs `npm run carillon -- restore`. */
function restore(...args: string[]): Promise<string> {
  return restoreCommand(fetch, args, { PUBLIC_URL: world.url, OPERATOR_TOKEN: OPERATOR });
}

/** Backs the posts up, and returns what restores them, as a dump is restored: into another table with the same rows. */
async function backUp(): Promise<(home?: string) => Promise<void>> {
  const { sql } = world;
  const read = (table: string) => sql<{ row: unknown }>(`select to_jsonb(t) as row from ${table} t`);
  const tables = await Promise.all(
    ['posts', 'attempts', 'database_marks'].map(async (table) => ({ table, rows: await read(table) })),
  );
  return async (home = 'of another database') => {
    await sql('truncate posts, database_marks cascade');
    await sql('delete from events');
    for (const { table, rows } of tables) {
      const values = JSON.stringify(rows.map(({ row }) => row));
      await sql(`insert into ${table} select * from jsonb_populate_recordset(null::${table}, $1::jsonb)`, [values]);
    }
    await sql('update database_marks set home = $1', [home]);
  };
}

/** A post that went out after the backup which is then restored, so that it is held. */
async function heldAfterRestore(): Promise<{ postId: string; platformPostId: string }> {
  const postId = await schedule(1, 'hello');
  const putBack = await backUp();
  await world.advance(MINUTE_MS);
  const { platformPostId } = await post(postId);
  await putBack();
  await world.runDue();
  return { postId, platformPostId };
}

const HELD = 'the database is a restored backup; posts that were due are held';

describe('a post that went out after the backup was made', () => {
  it('is held after the restore, while posts that fall due later are sent', async () => {
    const [first, later] = [await schedule(1, 'first'), await schedule(90, 'later')];
    const putBack = await backUp();
    await world.advance(MINUTE_MS);
    expect(await post(first)).toMatchObject({ status: 'sent' });
    await putBack();

    await world.advance(60 * MINUTE_MS);

    const heldUntil = world.clock.now().toISOString();
    expect(await post(first)).toMatchObject({ status: 'scheduled', error: null });
    expect(await restore('status')).toBe(`Held: 1 post that was due by ${heldUntil}.\n`);
    expect(await nextDueAt(world.context)).toEqual(new Date(world.clock.now().getTime() + 29 * MINUTE_MS));
    expect(world.logged.map((line) => JSON.parse(line))).toMatchObject([{ level: 'error', msg: HELD, heldUntil }]);
    await world.advance(29 * MINUTE_MS);
    expect([(await post(first)).status, (await post(later)).status]).toEqual(['scheduled', 'sent']);
    expect(created()).toBe(2);
  });

  it('is sent as it is on the platform, once the operator has the held posts settled', async () => {
    const { postId, platformPostId } = await heldAfterRestore();

    expect(await restore('settle')).toMatch(/^Workers are looking up 1 post that was due by /);
    await world.runDue();

    expect(await post(postId)).toMatchObject({ status: 'sent', platformPostId, error: null });
    expect(created()).toBe(1);
    expect((await eventsAbout(world, postId)).map(({ name }) => name)).toEqual(['post.sent']);
    const { body } = await world.rest(`GET /posts/${postId}/attempts`);
    expect(body.attempts).toMatchObject([{ step: 'head', state: 'accepted', platformPostId, error: null }]);
    await world.runDue();
    expect(await restore('status')).toBe('No posts are held.\n');
  });

  it('fails with an unknown outcome when it is not found, and is sent again only by force', async () => {
    const [single, thread] = [await schedule(1, 'hello'), await schedule(1, 'head', { thread: ['reply'] })];
    const putBack = await backUp();
    await world.advance(MINUTE_MS);
    for (const { id } of server.posts()) {
      await fetch(`${server.url}/api/v1/statuses/${id}`, {
        method: 'DELETE',
        headers: { authorization: 'Bearer token' },
      });
    }
    const before = created();
    await putBack();
    await world.runDue();

    await restore('settle');
    await world.runDue();

    for (const id of [single, thread]) {
      expect(await post(id)).toMatchObject({
        status: 'failed',
        error: {
          code: 'outcome_unknown',
          message:
            'A backup was restored that may be older than the send of this post: look on the platform before sending it again.',
        },
      });
      expect((await eventsAbout(world, id)).map(({ name }) => name)).toEqual(['post.failed']);
    }
    expect((await world.rest(`POST /posts/${single}/retry`, { body: {} })).status).toBe(400);
    expect(created()).toBe(before);
    await world.rest(`POST /posts/${single}/retry`, { body: { force: true } });
    expect([(await post(single)).status, created()]).toEqual(['sent', before + 1]);
  });

  it('leaves its connection alone for as long as the platform asks when it looks for the post', async () => {
    const { postId } = await heldAfterRestore();
    const later = await schedule(5, 'later');
    server.answers['GET /api/v1/accounts/:id/statuses'] = [
      { status: 429, json: {}, headers: { 'retry-after': String(60 * 60) } },
    ];

    await restore('settle');
    await world.runDue();

    expect(await post(postId)).toMatchObject({ status: 'failed', error: { code: 'outcome_unknown' } });
    await world.advance(59 * MINUTE_MS);
    expect((await post(later)).status).toBe('scheduled');
    await world.advance(MINUTE_MS);
    expect((await post(later)).status).toBe('sent');
  });

  it('is not sent when the process that looks it up dies', async () => {
    const postId = await schedule(1, 'hello');
    const putBack = await backUp();
    await world.advance(MINUTE_MS);
    await putBack();
    await world.runDue();
    await restore('settle');
    expect(await claimHeldSends(world.context, 10)).toHaveLength(1);

    await world.advance(2 * MINUTE_MS);

    expect(await post(postId)).toMatchObject({ status: 'failed', error: { code: 'outcome_unknown' } });
    expect(created()).toBe(1);
  });
});

it('immediate posts that hang do not keep the held posts of other accounts from being looked up', async () => {
  const { postId, platformPostId } = await heldAfterRestore();
  // Claims of the instant of the restore are held too.
  world.clock.advance(1_000);
  const { key } = await accountWithSandbox(world);
  const released = Promise.withResolvers<void>();
  const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
  const sleep = vi
    .spyOn(world.clock, 'sleep')
    .mockImplementation((ms) => (ms === 99_000 ? released.promise : nextTurn()));
  onTestFinished(() => {
    released.resolve();
    sleep.mockRestore();
  });
  const hanging = Array.from({ length: 200 }, (_, index) =>
    makePost(world, 'sandbox', { key, text: `[[slow 99000]] ${index}` }),
  );
  await vi.waitFor(() => expect(sleep.mock.calls.filter(([ms]) => ms === 99_000)).toHaveLength(200), 30_000);

  await restore('settle');
  const begun = await scheduledPosts.run(world.context, new AbortController().signal);

  expect(begun).toBe(1);
  await vi.waitFor(() => expect(world.context.sends.inFlight).toBe(200), 30_000);
  expect(await post(postId)).toMatchObject({ status: 'sent', platformPostId, error: null });
  released.resolve();
  expect((await Promise.all(hanging)).map(({ status }) => status)).toEqual(hanging.map(() => 'sent'));
});

it('a send that was open in the backup is held too', async () => {
  const postId = await schedule(1, 'hello');
  world.clock.advance(MINUTE_MS);
  const [claimed] = (await claimDueSends(world.context)).sends;
  const putBack = await backUp();
  if (claimed !== undefined) await world.context.sends.send(claimed);
  const { platformPostId } = await post(postId);
  await putBack();

  await world.runDue();
  await world.advance(10 * MINUTE_MS);

  expect(await post(postId)).toMatchObject({ status: 'processing' });
  await restore('settle');
  await world.runDue();
  expect(await post(postId)).toMatchObject({ status: 'sent', platformPostId });
  expect(created()).toBe(1);
});

it('a send whose parts were all deleted in the backup again fails with the refusal', async () => {
  const postId = await schedule(1, 'head', { thread: ['reply'] });
  const now = world.clock.now();
  const claimedUntil = new Date(now.getTime() + MINUTE_MS);
  await world.sql(
    `update posts set status = 'processing', claim = gen_random_uuid(), claimed_until = $2 where id = $1`,
    [postId, claimedUntil],
  );
  for (const [step, state, platformPostId, code] of [
    ['head', 'accepted', '123', null],
    ['reply', 'rejected', null, 'platform_rejected'],
    ['delete', 'accepted', '123', null],
  ]) {
    await world.sql(
      `insert into attempts (id, post_id, generation, step, index, state, token, started_at, settled_at,
         platform_post_id, error_code, error_message)
       values ($1, $2, 0, $3, 0, $4, 'token', $5, $5, $6, $7, 'Refused.')`,
      [world.context.random.uuid(), postId, step, state, now, platformPostId, code],
    );
  }
  await world.sql(`update database_marks set home = 'of another database'`);
  await world.advance(2 * MINUTE_MS);

  await restore('settle');
  await world.runDue();

  const error = { code: 'platform_rejected', message: 'Refused.' };
  expect(await post(postId)).toMatchObject({ status: 'failed', platformPostId: null, error });
  expect((await eventsAbout(world, postId)).map(({ name }) => name)).toEqual(['post.failed']);
  expect(created()).toBe(0);
});

it('posts that never went out are sent once the operator releases them', async () => {
  const postId = await schedule(1, 'hello');
  await world.sql(`update database_marks set home = 'of another database'`);
  await world.advance(2 * MINUTE_MS);
  expect(created()).toBe(0);

  expect(await restore('release')).toBe('No posts are held.\n');
  await world.runDue();

  expect([(await post(postId)).status, created()]).toEqual(['sent', 1]);
});

it.each(['settle', 'release'])('workers learn at once what the operator decided: %s', async (decision) => {
  await schedule(1, 'hello');
  await world.sql(`update database_marks set home = 'of another database'`);
  await world.advance(2 * MINUTE_MS);
  expect(await nextDueAt(world.context)).toBeNull();
  const report = vi.spyOn(world.context.db.changes, 'report');
  onTestFinished(() => report.mockRestore());

  await restore(decision);

  expect(report).toHaveBeenCalled();
  const due = await nextDueAt(world.context);
  expect(due?.getTime()).toBeLessThanOrEqual(world.clock.now().getTime());
});

it('a held post can be cancelled or given a new time by its caller', async () => {
  const [first, second] = [await schedule(1, 'first'), await schedule(1, 'second')];
  await world.sql(`update database_marks set home = 'of another database'`);
  await world.advance(2 * MINUTE_MS);

  const cancelled = await world.rest(`DELETE /posts/${first}`);
  const scheduledFor = new Date(world.clock.now().getTime() + MINUTE_MS).toISOString();
  const moved = await world.rest(`POST /posts/${second}/reschedule`, { body: { scheduledFor } });
  await world.advance(MINUTE_MS);

  expect([cancelled.status, moved.status]).toEqual([200, 200]);
  expect([(await post(first)).status, (await post(second)).status]).toEqual(['cancelled', 'sent']);
  expect(await restore('status')).toMatch(/^Held: 0 posts /);
  expect(created()).toBe(1);
});

describe('a queue that was paused in the backup, and is resumed after the restore', () => {
  const DAY_MS = 24 * 60 * MINUTE_MS;
  const slots = [0, 1, 2, 3, 4, 5, 6].map((weekday) => ({ weekday, time: '09:00' }));

  /** Goes on to the next instant at nine. */
  const advanceToSlot = () => world.advance(DAY_MS - ((world.clock.now().getTime() - 9 * 60 * MINUTE_MS) % DAY_MS));

  /** A paused queue with an overdue post. */
  async function pausedQueue() {
    const { connections } = (await world.rest('GET /connections')).body;
    const { id } = connections.find(({ slug }: { slug: string }) => slug === 'masto');
    const change = (changes: object) => world.rest(`PATCH /connections/${id}/queue`, { body: changes });
    await change({ slots, paused: false });
    const { postId } = await makePost(world, 'masto', { queue: true });
    await change({ paused: true });
    await world.advance(DAY_MS + 60 * MINUTE_MS);
    return { postId, change };
  }

  it('sends no post that went out after the backup was made', async () => {
    const { postId, change } = await pausedQueue();
    const putBack = await backUp();
    await change({ paused: false });
    await advanceToSlot();
    expect([(await post(postId)).status, created()]).toEqual(['sent', 1]);
    await change({ paused: true });
    await putBack();
    await world.runDue();

    expect((await change({ paused: false })).status).toBe(200);
    await advanceToSlot();

    expect(await restore('status')).toMatch(/^Held: 1 post /);
    expect([(await post(postId)).status, created()]).toEqual(['scheduled', 1]);
  });

  it('sends its posts at the next slots once the operator releases them', async () => {
    const { postId, change } = await pausedQueue();
    await world.sql(`update database_marks set home = 'of another database'`);
    await world.runDue();
    await change({ paused: false });

    await restore('release');
    await world.runDue();
    expect((await post(postId)).status).toBe('scheduled');
    await advanceToSlot();

    expect([(await post(postId)).status, created()]).toEqual(['sent', 1]);
  });
});

it('a process notices a snapshot of the same database by its beat', async () => {
  const postId = await schedule(1, 'hello');
  await world.context.restores.beat();
  const [{ home } = { home: '' }] = await world.sql<{ home: string }>('select home from database_marks');
  const putBack = await backUp();
  await world.context.restores.beat();
  await world.advance(MINUTE_MS);
  await putBack(home);

  await world.runDue();

  expect(await post(postId)).toMatchObject({ status: 'scheduled' });
  expect(created()).toBe(1);
});

it('an answer that arrives after that of a later beat is no restore', async () => {
  let isFirst = true;
  const queries = withResults(world.db.em(), async ({ result }) => {
    const overtaken = isFirst;
    isFirst = false;
    if (overtaken) await watch.beat();
    return result;
  });
  const watch: RestoreWatch = createRestoreWatch({ ...world.context, db: { ...world.db, queries } });

  await watch.check();

  expect(await restore('status')).toBe('No posts are held.\n');
});

it('a process that starts reads the mark that another of its checks inserts meanwhile', async () => {
  await world.sql('delete from database_marks');
  let isFirst = true;
  const queries = withResults(world.db.em(), async ({ result }) => {
    const overtaken = isFirst;
    isFirst = false;
    if (overtaken) await watch.check();
    return result;
  });
  const watch: RestoreWatch = createRestoreWatch({ ...world.context, db: { ...world.db, queries } });

  await watch.check();

  expect(await world.sql('select id from database_marks')).toEqual([{ id: 1 }]);
});

it('a process that runs claims nothing while the rows of a backup are arriving', async () => {
  const postId = await schedule(1, 'hello');
  await world.sql('delete from database_marks');

  await world.advance(MINUTE_MS);

  expect(await post(postId)).toMatchObject({ status: 'scheduled' });
  expect(await world.sql('select id from database_marks')).toEqual([]);
  expect(created()).toBe(0);
});

it('the operator holds what is due with a command', async () => {
  const postId = await schedule(1, 'hello');
  world.clock.advance(MINUTE_MS);

  expect(await restore('hold')).toBe(`Held: 1 post that was due by ${world.clock.now().toISOString()}.\n`);

  await world.runDue();
  expect(await post(postId)).toMatchObject({ status: 'scheduled' });
});
