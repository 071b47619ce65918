/** Previews of keys whose posts need approval say what their requests say (docs/contract/posts.md#previews). */
import { describe, expect, it } from 'vitest';
import { accountWithSandbox, storeBluesky } from '../../harness/connections.ts';
import { UUID } from '../../harness/expected.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld({ env: { X_POST_FEE_CENTS: '3' } });
const HOUR = 3_600_000;

/** An account with a sandbox without slots, the key of its owner, and one whose posts need approval. */
async function tenant() {
  const { key, connection, id: accountId } = await accountWithSandbox(world);
  const { secret: asking } = await world.key({ accountId, approval: 'required' });
  const send = async (call: `POST /${string}`, fields: object, by: string) => {
    const body = { text: 'May I?', connectionSlugs: ['sandbox'], ...fields };
    return (await world.rest(call, { key: by, body })).body.results;
  };
  return {
    accountId,
    key,
    connection,
    validate: (fields: object = {}, by = asking) => send('POST /posts/validate', fields, by),
    post: (fields: object = {}, by = asking) => send('POST /posts', fields, by),
    approve: (postId: string, body: object) => world.rest(`POST /posts/${postId}/approve`, { key, body }),
  };
}

const valid = (connectionSlug: string, maxLength: number) => ({
  connectionSlug,
  ok: true,
  error: null,
  text: 'May I?',
  length: 6,
  maxLength,
  parts: [{ length: 6, maxLength }],
  images: [],
  scheduledFor: null,
  rules: [],
});

const asked = (connectionSlug: string) => ({
  connectionSlug,
  status: 'draft',
  postId: UUID,
  error: null,
  approval: { state: 'pending' },
});

const QUEUE_EMPTY = {
  code: 'queue_empty',
  message: 'The connection "sandbox" has no queue slots; set some, or give scheduledFor.',
};

describe('while a person has to be asked', () => {
  it('a queue without a slot refuses nothing', async () => {
    const { key, validate, post } = await tenant();

    expect(await validate({ queue: true })).toEqual([valid('sandbox', 500)]);
    expect(await post({ queue: true })).toMatchObject([asked('sandbox')]);
    expect(await validate({ queue: true }, key)).toMatchObject([{ ok: false, error: QUEUE_EMPTY }]);
  });

  it('no slot is named, because the post takes the one that is next when it is approved; a time is', async () => {
    const { key, connection, validate } = await tenant();
    const slots = [{ weekday: 1, time: '09:00' }];
    await world.rest(`PATCH /connections/${connection.id}/queue`, { key, body: { slots } });
    const scheduledFor = new Date(world.clock.now().getTime() + HOUR).toISOString();

    expect(await validate({ queue: true })).toEqual([valid('sandbox', 500)]);
    expect(await validate({ scheduledFor })).toEqual([{ ...valid('sandbox', 500), scheduledFor }]);
  });

  it('the plan refuses nothing', async () => {
    const { accountId, key, validate, post } = await tenant();
    await world.sql(`update accounts set plan = 'pro', has_payment_method = false where id = $1`, [accountId]);
    const { id, slug } = await storeBluesky(world, accountId, { slug: 'x-alice' });
    await world.sql(`update connections set platform_id = 'x' where id = $1`, [id]);
    const fields = { connectionSlugs: [slug] };

    expect(await validate(fields)).toEqual([valid(slug, 280)]);
    expect(await post(fields)).toMatchObject([asked(slug)]);
    expect(await validate(fields, key)).toMatchObject([{ ok: false, error: { code: 'payment_method_required' } }]);
  });
});

describe('within an allowance', () => {
  it('the queue counts as for a send, and a preview takes nothing from the allowance', async () => {
    const { validate, post, approve } = await tenant();
    const [first] = await post();
    await approve(first.postId, { next: { posts: 1 } });

    expect(await validate({ queue: true })).toEqual([{ ...valid('sandbox', 500), ok: false, error: QUEUE_EMPTY }]);
    expect(await post({ queue: true })).toMatchObject([{ status: 'failed', postId: null, error: QUEUE_EMPTY }]);
    expect(await validate()).toEqual([valid('sandbox', 500)]);
    expect(await post()).toMatchObject([{ status: 'sent' }]);
  });

  it('that does not cover the whole request, nothing but the content is checked', async () => {
    const { accountId, validate, post, approve } = await tenant();
    const { slug } = await storeBluesky(world, accountId);
    const [first] = await post();
    await approve(first.postId, { next: { posts: 1 } });
    const fields = { connectionSlugs: ['sandbox', slug], queue: true };

    expect(await validate(fields)).toEqual([valid('sandbox', 500), valid(slug, 300)]);
    expect(await post(fields)).toMatchObject([asked('sandbox'), asked(slug)]);
  });
});
