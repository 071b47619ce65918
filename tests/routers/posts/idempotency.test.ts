/**
 * Idempotency-Key: the same request never publishes twice, for any outcome of the first
 * (docs/contract/posts.md#immediate-posts, docs/contract/posts.md#idempotency, docs/contract/posts.md#what-is-stored).
 */
import { describe, expect, it } from 'vitest';
import { startWorld } from '../../harness/world.ts';
import { NO_POST } from '../../harness/expected.ts';

const world = await startWorld();
const body = { text: 'Only once', connectionSlugs: [world.sandboxSlug, 'nowhere'] };

function create(key: string, sent: unknown = body, secret = world.liveKey) {
  return world.rest('POST /posts', { key: secret, body: sent, headers: { 'idempotency-key': key } });
}

async function published(text: string): Promise<number> {
  const [row] = await world.sql<{ count: number }>('select count(*)::int as count from sandbox_posts where text = $1', [
    text,
  ]);
  return row?.count ?? 0;
}

describe('200', () => {
  it('replays the first answer verbatim, marks it as a replay, and posts nothing again', async () => {
    const first = await create('verbatim');

    const second = await create('verbatim');

    expect(JSON.stringify(second.body)).toBe(JSON.stringify(first.body));
    expect([first.headers.get('idempotent-replayed'), second.headers.get('idempotent-replayed')]).toEqual([
      null,
      'true',
    ]);
    expect(await published('Only once')).toBe(1);
  });

  it('treats a body with its keys in another order as the same body', async () => {
    const first = await create('order', { text: 'In order', connectionSlugs: [world.sandboxSlug] });

    const second = await create('order', { connectionSlugs: [world.sandboxSlug], text: 'In order' });

    expect(second.body).toEqual(first.body);
  });

  it.each([
    ['NUL', 'a\u0000b'],
    ['half a surrogate pair', 'a\ud800b'],
  ])('replays the error of a slug with %s, which is not stored as it is', async (name, slug) => {
    const sent = { text: 'Partly', connectionSlugs: [world.sandboxSlug, slug], isDraft: true };

    const first = await create(`slug with ${name}`, sent);
    const second = await create(`slug with ${name}`, sent);

    expect([first.status, first.body.results[1]]).toEqual([
      200,
      {
        connectionSlug: 'a\ufffdb',
        ...NO_POST,
        error: {
          code: 'invalid_connection',
          message: 'No connection of yours has the slug "a\ufffdb". GET /connections lists them.',
        },
      },
    ]);
    expect([second.status, second.body, second.headers.get('idempotent-replayed')]).toEqual([200, first.body, 'true']);
  });

  it('replays a request whose scheduled time has passed since', async () => {
    const scheduledFor = new Date(world.clock.now().getTime() + 60_000).toISOString();
    const sent = { text: 'Past by now', connectionSlugs: [world.sandboxSlug], scheduledFor };
    const first = await create('past', sent);
    await world.advance(120_000);

    const second = await create('past', sent);

    expect([second.status, second.body]).toEqual([200, first.body]);
  });

  it('is shared by the keys of an account that can reach its posts', async () => {
    const first = await create('shared', { text: 'Shared', connectionSlugs: [world.sandboxSlug] });

    const other = await world.key();
    const second = await create('shared', { text: 'Shared', connectionSlugs: [world.sandboxSlug] }, other.secret);

    expect(second.body).toEqual(first.body);
  });

  it('expires after 24 hours', async () => {
    const sent = { text: 'Once a day', connectionSlugs: [world.sandboxSlug] };
    await create('daily', sent);
    await world.advance(24 * 3_600_000);

    const next = await create('daily', sent);

    expect(next.headers.get('idempotent-replayed')).toBe(null);
    expect(await published('Once a day')).toBe(2);
  });

  it('publishes once for ten concurrent requests', async () => {
    const sent = { text: 'Ten at once', connectionSlugs: [world.sandboxSlug] };

    const answers = await Promise.all(Array.from({ length: 10 }, () => create('race', sent)));

    const statuses = new Set(answers.map(({ status }) => status));
    expect([...statuses].every((status) => status === 200 || status === 409)).toBe(true);
    expect(
      new Set(answers.filter(({ status }) => status === 200).map(({ body: answer }) => answer.results[0].postId)).size,
    ).toBe(1);
    expect(await published('Ten at once')).toBe(1);
  });
});

describe('a request whose process died before it finished', () => {
  it('is answered from its posts after they are settled, and never sent again', async () => {
    const sent = { text: 'Died half-way', connectionSlugs: [world.sandboxSlug, 'nowhere'] };
    const first = await create('died', sent);
    const { postId } = first.body.results[0];
    await world.sql(
      `update idempotency_records set completed_at = null,
         response = jsonb_set(response, '{results,0}', jsonb_build_object('pending', $1::text)) where key = 'died'`,
      [postId],
    );

    const second = await create('died', sent);

    expect([second.status, second.body]).toEqual([200, first.body]);
    expect(await published('Died half-way')).toBe(1);
  });

  it('is a conflict while one of its posts is still being sent, and is answered after the recovery', async () => {
    const sent = { text: 'Recovered first', connectionSlugs: [world.sandboxSlug] };
    const first = await create('recovered', sent);
    const { postId } = first.body.results[0];
    await world.sql(
      `update idempotency_records set completed_at = null, response = jsonb_build_object('results', jsonb_build_array(jsonb_build_object('pending', $1::text)))
       where key = 'recovered'`,
      [postId],
    );
    await world.sql(`update attempts set state = 'sending', settled_at = null where post_id = $1`, [postId]);
    await world.sql(
      `update posts set status = 'processing', claim = gen_random_uuid(), claimed_until = $2 where id = $1`,
      [postId, new Date(world.clock.now().getTime() - 1)],
    );

    const during = await create('recovered', sent);
    await world.runDue();
    const after = await create('recovered', sent);

    expect([during.status, during.body.error, during.body.retryable]).toEqual([409, 'idempotency_key_conflict', true]);
    expect([after.status, after.body]).toEqual([200, first.body]);
    expect(await published('Recovered first')).toBe(1);
  });
});

describe('409 idempotency_key_conflict', () => {
  it('is the answer to the same key with another body', async () => {
    await create('reused', { text: 'One', connectionSlugs: [world.sandboxSlug] });

    const { status, body: answer } = await create('reused', { text: 'Other', connectionSlugs: [world.sandboxSlug] });

    expect([status, answer.error, answer.retryable, answer.message]).toEqual([
      409,
      'idempotency_key_conflict',
      false,
      expect.stringContaining('"reused"'),
    ]);
    expect(await published('Other')).toBe(0);
  });

  it('is the answer to the same key on another operation', async () => {
    const draft = await world.rest('POST /posts', {
      body: { text: 'A draft', connectionSlugs: [world.sandboxSlug], isDraft: true },
    });
    const { postId } = draft.body.results[0];
    await create('elsewhere', { text: 'Here', connectionSlugs: [world.sandboxSlug] });

    const { status } = await world.rest(`POST /posts/${postId}/publish`, {
      body: {},
      headers: { 'idempotency-key': 'elsewhere' },
    });

    expect(status).toBe(409);
  });
});

describe('400 invalid_request', () => {
  it.each([
    ['an empty key', ''],
    ['a key of 256 characters', 'k'.repeat(256)],
  ])('refuses %s', async (_name, key) => {
    const { status, body: answer } = await create(key);

    expect([status, answer.error, answer.details[0].path]).toEqual([400, 'invalid_request', 'idempotencyKey']);
  });

  it('refuses the key inside the body', async () => {
    const { status, body: answer } = await world.rest('POST /posts', { body: { ...body, idempotencyKey: 'inside' } });

    expect([status, answer.message]).toEqual([
      400,
      'idempotencyKey: is sent as the header Idempotency-Key, not in the body.',
    ]);
  });

  it('stores nothing for a request that failed validation', async () => {
    const bad = await create('corrected', { text: ' ', connectionSlugs: [world.sandboxSlug] });
    const good = await create('corrected', { text: 'Corrected', connectionSlugs: [world.sandboxSlug] });

    expect([bad.status, good.status]).toEqual([400, 200]);
  });
});

describe('publishing a draft', () => {
  it('replays the first answer and publishes once', async () => {
    const draft = await world.rest('POST /posts', {
      body: { text: 'Keyed draft', connectionSlugs: [world.sandboxSlug], isDraft: true },
    });
    const { postId } = draft.body.results[0];
    const publish = () =>
      world.rest(`POST /posts/${postId}/publish`, { body: {}, headers: { 'idempotency-key': 'publish-once' } });

    const first = await publish();
    const second = await publish();

    expect(first.body.result.status).toBe('sent');
    expect([second.status, second.body, second.headers.get('idempotent-replayed')]).toEqual([200, first.body, 'true']);
    expect(await published('Keyed draft')).toBe(1);
  });
});
