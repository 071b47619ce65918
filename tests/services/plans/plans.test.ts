/**
 * The free plan allows two active connections and a hundred posts a day, also under concurrent requests
 * (docs/contract/errors-and-limits.md#plans, docs/contract/profiles-and-keys.md#test-keys).
 */
import { describe, expect, it } from 'vitest';
import { makeAccount, type TestAccount } from '../../harness/accounts.ts';
import { connectSandbox, type TestConnection } from '../../harness/connections.ts';
import { eventsAbout, makePost, sandboxOf } from '../../harness/posts.ts';
import { startWorld } from '../../harness/world.ts';
import { NO_POST } from '../../harness/expected.ts';

const world = await startWorld();
const DAY_MS = 86_400_000;

interface Tenant extends TestAccount {
  readonly connections: readonly TestConnection[];
}

/** An account on the free plan with sandbox connections `bell-1`, `bell-2`, … */
async function freeAccount(connections = 1): Promise<Tenant> {
  const account = await makeAccount(world);
  await world.sql(`update accounts set plan = 'free' where id = $1`, [account.id]);
  const made: TestConnection[] = [];
  for (let number = 1; number <= connections; number += 1) {
    made.push(await connectSandbox(world, { key: account.key, slug: `bell-${number}` }));
  }
  return { ...account, connections: made };
}

/** Records this number of posts as sent today. */
async function sendBefore(tenant: Tenant, posts: number, sentAt = world.clock.now()): Promise<void> {
  const [connection] = tenant.connections;
  await world.sql(
    `insert into posts (id, account_id, connection_id, connection_slug, platform_id, mode, status, text, original_text, tags,
       thread, created_at, sent_at)
     select gen_random_uuid(), $1, $2, 'bell-1', 'sandbox', 'live', 'sent', 'Before', 'Before', '{}', '{}', $3, $3
     from generate_series(1, $4)`,
    [tenant.id, connection?.id, sentAt, posts],
  );
}

const postTo = (tenant: Tenant, slugs: string[], more: object = {}) =>
  world.rest('POST /posts', { key: tenant.key, body: { text: 'Ding', connectionSlugs: slugs, ...more } });

const errorsOf = (body: { results: { error: { code: string } | null }[] }) =>
  body.results.map(({ error }) => error?.code ?? null);

const statusOf = async (postId: string) =>
  (await world.sql<{ status: string }>('select status from posts where id = $1', [postId]))[0]?.status;

describe('active connections', () => {
  it('are two: a third is refused with its slug, and nothing is stored for it', async () => {
    const tenant = await freeAccount(3);
    await postTo(tenant, ['bell-1', 'bell-2']);

    const { status, body } = await postTo(tenant, ['bell-3', 'bell-2']);

    expect(status).toBe(200);
    expect(body.results[0]).toEqual({
      connectionSlug: 'bell-3',
      ...NO_POST,
      error: {
        code: 'connection_limit_exceeded',
        message: 'The free plan allows 2 active connections, and "bell-3" is not among the 2 that sent most recently.',
      },
    });
    expect(body.results[1]).toMatchObject({ status: 'sent' });
  });

  it('emit nothing when they refuse an immediate post, because there is no stored post', async () => {
    const tenant = await freeAccount(3);
    await postTo(tenant, ['bell-1', 'bell-2']);

    await postTo(tenant, ['bell-3']);

    const events = await world.sql<{ name: string }>('select name from events where account_id = $1 order by id', [
      tenant.id,
    ]);
    expect(events.filter(({ name }) => name === 'post.failed')).toEqual([]);
  });

  it('are also counted within one request', async () => {
    const tenant = await freeAccount(3);

    const { body } = await postTo(tenant, ['bell-1', 'bell-2', 'bell-3']);

    expect(errorsOf(body)).toEqual([null, null, 'connection_limit_exceeded']);
  });

  it('are also two for five concurrent requests', async () => {
    const tenant = await freeAccount(5);

    const answers = await Promise.all(tenant.connections.map(({ slug }) => postTo(tenant, [slug])));

    const codes = answers.flatMap(({ body }) => errorsOf(body));
    expect(codes.filter((code) => code === null)).toHaveLength(2);
    expect(codes.filter((code) => code === 'connection_limit_exceeded')).toHaveLength(3);
  });

  it('become inactive thirty days after their last send, to the millisecond', async () => {
    const tenant = await freeAccount(3);
    await postTo(tenant, ['bell-1', 'bell-2']);
    world.clock.advance(30 * DAY_MS - 1);
    const before = await postTo(tenant, ['bell-3']);
    world.clock.advance(1);

    const after = await postTo(tenant, ['bell-3']);

    expect([errorsOf(before.body), errorsOf(after.body)]).toEqual([['connection_limit_exceeded'], [null]]);
  });

  it('are only those with a sent post: refused posts activate no connection', async () => {
    const tenant = await freeAccount(3);
    await postTo(tenant, ['bell-1', 'bell-2'], { text: '[[reject]]' });

    const { body } = await postTo(tenant, ['bell-3']);

    expect(errorsOf(body)).toEqual([null]);
  });

  it('no longer count after they are deleted', async () => {
    const tenant = await freeAccount(3);
    await postTo(tenant, ['bell-1', 'bell-2']);
    await world.rest(`DELETE /connections/${tenant.connections[0]?.id}`, { key: tenant.key });

    const { body } = await postTo(tenant, ['bell-3']);

    expect(errorsOf(body)).toEqual([null]);
  });

  it('never prevent connecting an account', async () => {
    const tenant = await freeAccount(2);
    await postTo(tenant, ['bell-1', 'bell-2']);

    await expect(connectSandbox(world, { key: tenant.key })).resolves.toMatchObject({ platformId: 'sandbox' });
  });

  it('fail a scheduled post with a clear error if both are in use when it is due', async () => {
    const tenant = await freeAccount(3);
    const scheduledFor = new Date(world.clock.now().getTime() + 60_000).toISOString();
    const { postId } = await makePost(world, 'bell-3', { key: tenant.key, scheduledFor });
    await postTo(tenant, ['bell-1', 'bell-2']);

    await world.advance(60_000);

    const { body } = await world.rest(`GET /posts/${postId}`, { key: tenant.key });
    expect(body.post).toMatchObject({ status: 'failed', error: { code: 'connection_limit_exceeded' } });
    const [event] = await eventsAbout(world, postId);
    expect(event).toMatchObject({
      name: 'post.failed',
      payload: { post: { id: postId, scheduledFor, status: 'failed', error: { code: 'connection_limit_exceeded' } } },
    });
    expect(await sandboxOf(world, tenant.connections[2]?.id ?? '')).toEqual([]);
  });
});

describe('a hundred posts a day', () => {
  it('is exact for ten concurrent requests for the last three', async () => {
    const tenant = await freeAccount();
    await sendBefore(tenant, 97);

    const answers = await Promise.all(Array.from({ length: 10 }, () => postTo(tenant, ['bell-1'])));

    const codes = answers.flatMap(({ body }) => errorsOf(body));
    expect(codes.filter((code) => code === null)).toHaveLength(3);
    expect(codes.filter((code) => code === 'fair_use_reached')).toHaveLength(7);
    const sent = await world.sql(`select id from posts where account_id = $1 and status = 'sent'`, [tenant.id]);
    expect(sent).toHaveLength(100);
  });

  it('reports the limit and its reset time', async () => {
    const tenant = await freeAccount();
    await sendBefore(tenant, 100);
    const midnight = new Date(Math.ceil(world.clock.now().getTime() / DAY_MS) * DAY_MS).toISOString();

    const { status, body } = await world.rest('POST /post/bell-1', {
      key: tenant.key,
      raw: 'Ding',
      headers: { 'content-type': 'text/plain' },
    });

    expect(status).toBe(403);
    expect(body).toEqual({
      error: 'fair_use_reached',
      message: `The free plan allows 100 posts a day, and they are used up until ${midnight}.`,
      hint: 'Wait for the next UTC day, schedule the post, or ask the operator of this install for another plan.',
      docs: 'http://localhost:3000/docs/errors#fair_use_reached',
      retryable: false,
    });
  });

  it('resets at 00:00 UTC', async () => {
    const tenant = await freeAccount();
    await sendBefore(tenant, 100);
    world.clock.set(new Date(Math.ceil((world.clock.now().getTime() + 1) / DAY_MS) * DAY_MS));

    const { body } = await postTo(tenant, ['bell-1']);

    expect(errorsOf(body)).toEqual([null]);
  });

  it('excludes refused posts and posts with a test key', async () => {
    const tenant = await freeAccount();
    await sendBefore(tenant, 99);
    const { secret } = await world.key({ type: 'test', accountId: tenant.id });
    await postTo({ ...tenant, key: secret }, ['bell-1']);
    await postTo(tenant, ['bell-1'], { text: '[[reject]]' });

    const last = await postTo(tenant, ['bell-1']);
    const over = await postTo(tenant, ['bell-1']);
    const test = await postTo({ ...tenant, key: secret }, ['bell-1']);

    expect([last, over, test].map(({ body }) => errorsOf(body))).toEqual([[null], ['fair_use_reached'], [null]]);
  });

  it('still includes posts that were deleted since', async () => {
    const tenant = await freeAccount();
    await sendBefore(tenant, 99);
    const { postId } = await makePost(world, 'bell-1', { key: tenant.key });
    await world.rest(`DELETE /posts/${postId}`, { key: tenant.key });

    const { body } = await postTo(tenant, ['bell-1']);

    expect(errorsOf(body)).toEqual(['fair_use_reached']);
  });

  it('defers further due posts to the next day, with an event, repeatedly if needed', async () => {
    const tenant = await freeAccount();
    const due = new Date(world.clock.now().getTime() + 60_000);
    const ids: string[] = [];
    for (let number = 0; number < 3; number += 1) {
      ids.push((await makePost(world, 'bell-1', { key: tenant.key, scheduledFor: due.toISOString() })).postId);
    }
    world.clock.set(due);
    await sendBefore(tenant, 98);

    await world.runDue();

    const statuses = await Promise.all(ids.map(statusOf));
    expect(statuses).toEqual(['sent', 'sent', 'scheduled']);
    const midnight = new Date(Math.ceil((due.getTime() + 1) / DAY_MS) * DAY_MS);
    const [event, ...others] = await eventsAbout(world, ids[2] ?? '');
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      name: 'post.rescheduled',
      mode: 'live',
      payload: {
        post: {
          id: ids[2],
          connectionSlug: 'bell-1',
          scheduledFor: midnight.toISOString(),
          reason: 'fair_use',
          profileId: null,
        },
      },
    });

    world.clock.set(midnight);
    await world.runDue();
    expect(await statusOf(ids[2] ?? '')).toBe('sent');
  });

  it('keeps a draft as a draft, which can be published when capacity is free again', async () => {
    const tenant = await freeAccount();
    const { body: made } = await postTo(tenant, ['bell-1'], { isDraft: true });
    const [{ postId }] = made.results;
    await sendBefore(tenant, 100);

    const refused = await world.rest(`POST /posts/${postId}/publish`, { key: tenant.key, body: {} });

    expect(refused.status).toBe(200);
    expect(refused.body.result).toMatchObject({ postId, status: 'draft', error: { code: 'fair_use_reached' } });
    expect(await statusOf(postId)).toBe('draft');
    expect(await eventsAbout(world, postId)).toEqual([]);
    world.clock.set(new Date(Math.ceil((world.clock.now().getTime() + 1) / DAY_MS) * DAY_MS));
    const published = await world.rest(`POST /posts/${postId}/publish`, { key: tenant.key, body: {} });
    expect(published.body.result).toMatchObject({ postId, status: 'sent' });
  });

  it('is checked by validation, which does not count', async () => {
    const tenant = await freeAccount();
    await sendBefore(tenant, 99);
    const ask = () =>
      world.rest('POST /posts/validate', { key: tenant.key, body: { text: 'Ding', connectionSlugs: ['bell-1'] } });

    const [before, again] = [await ask(), await ask()];
    await postTo(tenant, ['bell-1']);
    const after = await ask();

    expect([before, again, after].map(({ body }) => errorsOf(body))).toEqual([[null], [null], ['fair_use_reached']]);
  });
});

describe('the other plans', () => {
  it.each(['pro', 'unlimited'])('%s has no such limits', async (plan) => {
    const tenant = await freeAccount(4);
    await world.sql('update accounts set plan = $2 where id = $1', [tenant.id, plan]);
    await sendBefore(tenant, 150);

    const { body } = await postTo(tenant, ['bell-1', 'bell-2', 'bell-3', 'bell-4']);

    expect(errorsOf(body)).toEqual([null, null, null, null]);
  });
});
