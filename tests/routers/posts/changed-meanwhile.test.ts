/** Requests about a post that another request changes after they have read it (docs/contract/posts.md). */
import { describe, expect, it } from 'vitest';
import { authenticate } from '../../../services/keys/authenticate.ts';
import { publishDraft } from '../../../services/posts/publish-draft.ts';
import { beforeTransactions } from '../../harness/interleave.ts';
import { accountWithSandbox } from '../../harness/connections.ts';
import { holdRows } from '../../harness/hold-rows.ts';
import { plain } from '../../harness/images.ts';
import { sandboxOf } from '../../harness/posts.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();
/** Slots of a queue. */
const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6].map((weekday) => ({ weekday, time: '09:00' }));
const IN_AN_HOUR = new Date(world.clock.now().getTime() + 3_600_000).toISOString();

/** An account with a sandbox, the key of its owner, and the key of an agent. */
async function tenant({ rules, approval = 'none' }: { rules?: object; approval?: 'none' | 'required' } = {}) {
  const { key, connection, id } = await accountWithSandbox(world);
  const { secret: agent, id: agentId } = await world.key({ accountId: id, approval });
  if (rules !== undefined) await world.rest(`PUT /policies/${agentId}`, { key, body: rules });
  return {
    key,
    agent,
    agentId,
    connection,
    accountId: id,
    post: async (fields: object = {}, by = agent) => {
      const body = { text: 'Ding', connectionSlugs: ['sandbox'], ...fields };
      return (await world.rest('POST /posts', { key: by, body })).body.results[0];
    },
    published: async () => (await sandboxOf(world, connection.id)).map(({ text }) => text),
    holdPolicy: () => holdRows(world, 'select id from policies where id = $1 for update', [agentId]),
    holdKey: () => holdRows(world, 'select id from api_keys where id = $1 for update', [agentId]),
  };
}

// Each test needs a second connection to the database.
const isEmbedded = world.db.engine !== 'postgres';

describe.skipIf(isEmbedded)('a draft that is edited while it is published', () => {
  it.each([
    ['now', {}],
    ['at a time', { scheduledFor: IN_AN_HOUR }],
  ])('%s follows the policy with what it says then', async (_, plan) => {
    const { agent, post, published, holdPolicy } = await tenant({ rules: { approvalWords: ['refund'] } });
    const { postId } = await post({ text: 'Nothing special', isDraft: true });
    const held = await holdPolicy();
    const publishing = world.rest(`POST /posts/${postId}/publish`, { key: agent, body: plan });
    await held.waiting(1);
    await world.rest(`PATCH /posts/${postId}`, { key: agent, body: { text: 'A refund for all' } });

    await held.release();

    const { status, body } = await publishing;
    expect([status, body.result.status, body.result.approval?.state]).toEqual([200, 'draft', 'pending']);
    expect(await published()).toEqual([]);
  });

  it('follows the policy with the alt texts of the images that it has then', async () => {
    const { key, agent, connection, post, published } = await tenant({ rules: { approvalWords: ['refund'] } });
    const raw = await plain(8, 8).png().toBuffer();
    const upload = await world.rest('POST /media', { key: agent, raw, headers: { 'content-type': 'image/png' } });
    const { id } = upload.body.media;
    const { postId } = await post({ isDraft: true, media: [{ id, altText: 'A bell' }] });
    await world.rest(`PATCH /connections/${connection.id}/queue`, { key, body: { slots: EVERY_DAY } });
    // Taking a slot locks the connection, after the policy has read the images.
    const held = await holdRows(world, 'select id from connections where id = $1 for update', [connection.id]);
    const publishing = world.rest(`POST /posts/${postId}/publish`, { key: agent, body: { queue: true } });
    await held.waiting(1);
    const media = [{ id, altText: 'A refund' }];
    await world.rest(`PATCH /posts/${postId}`, { key: agent, body: { media } });

    await held.release();

    const { body } = await publishing;
    expect([body.result.status, body.result.approval?.state]).toEqual(['draft', 'pending']);
    expect(await published()).toEqual([]);
  });

  it('waits for a person with what it says then', async () => {
    const { key, agent, post, published, holdKey } = await tenant({ approval: 'required' });
    const { postId } = await post({ text: 'Nothing special', isDraft: true });
    const held = await holdKey();
    const publishing = world.rest(`POST /posts/${postId}/publish`, { key: agent, body: {} });
    await held.waiting(1);
    await world.rest(`PATCH /posts/${postId}`, { key: agent, body: { text: 'Send us your password' } });

    await held.release();
    await publishing;

    const [asked] = (await world.rest('GET /approvals', { key })).body.approvals;
    expect(asked.content.text).toBe('Send us your password');
    await world.rest(`POST /posts/${postId}/approve`, { key, body: { requestedAt: asked.approval.requestedAt } });
    expect(await published()).toEqual([asked.content.text]);
  });
});

describe('a draft that is repaired while its publication is refused', () => {
  it.each([
    ['its text', { text: 'Short' }, 'Short'],
    ['its images', { mediaIds: [] }, 'Ding'],
  ])('goes out with %s as repaired, and does not fail', async (what, repair, sent) => {
    const { key, connection, post, published } = await tenant();
    const raw = await plain(8, 8).png().toBuffer();
    const upload = await world.rest('POST /media', { key, raw, headers: { 'content-type': 'image/png' } });
    const { postId } = await post({ isDraft: true, mediaIds: [upload.body.media.id] }, key);
    // The limits of a platform or of a server have become tighter since.
    if (what === 'its text') await world.sql(`update posts set text = repeat('x', 501) where id = $1`, [postId]);
    const admission = await authenticate(world.context, key);
    const { sandbox } = world.context.platforms;
    const images = what === 'its text' ? sandbox.images : null;
    const platforms = { ...world.context.platforms, sandbox: { ...sandbox, images } };
    const edit = () => world.rest(`PATCH /posts/${postId}`, { key, body: repair });
    const context = { ...beforeTransactions(world.context, edit), platforms };

    const { answer } = await publishDraft(context, admission!.caller, { postId }, null);

    expect(answer).toMatchObject({ status: 'sent', error: null });
    expect([connection.slug, await published()]).toEqual(['sandbox', [sent]]);
  });
});

describe.skipIf(isEmbedded)('a draft that two requests edit', () => {
  it.each([
    ['thread', { thread: ['Reply'] }],
    ['tags', { tags: ['both'] }],
  ])('has the text of one and the %s of the other, after both have read it', async (_field, change) => {
    const { key, post } = await tenant();
    const { postId } = await post({ text: 'Old', isDraft: true });
    const held = await holdRows(world, 'select id from posts where id = $1 for update', [postId]);
    const edits = [{ text: 'New' }, change].map((body) => world.rest(`PATCH /posts/${postId}`, { key, body }));
    await held.waiting(2);

    await held.release();

    expect((await Promise.all(edits)).map(({ status }) => status)).toEqual([200, 200]);
    const { body } = await world.rest(`GET /posts/${postId}`, { key });
    expect(body.post).toMatchObject({ text: 'New', originalText: 'New', ...change });
  });

  it('is not edited by the one that comes after its publication', async () => {
    const { key, post, published } = await tenant();
    const { postId } = await post({ text: 'As published', isDraft: true });
    const held = await holdRows(world, 'select id from posts where id = $1 for update', [postId]);
    const publishing = world.rest(`POST /posts/${postId}/publish`, { key, body: {} });
    await held.waiting(1);
    const editing = world.rest(`PATCH /posts/${postId}`, { key, body: { text: 'Too late' } });
    await held.waiting(2);

    await held.release();

    const [{ body: sent }, { status, body }] = await Promise.all([publishing, editing]);
    const outcome = [sent.result.status, status, body.error ?? null];
    // Either may get the lock first. Publishing then checks the edited draft again.
    if (status === 200) expect([outcome, await published()]).toEqual([['sent', 200, null], ['Too late']]);
    else expect([outcome, await published()]).toEqual([['sent', 400, 'invalid_request'], ['As published']]);
  });
});

describe.skipIf(isEmbedded)('a failed post that another request sends again first', () => {
  /** A post that failed without being published, and whose next send has an unknown outcome. */
  async function failed(settings: { rules?: object; approval?: 'none' | 'required' }) {
    const made = await tenant(settings);
    const { postId } = await made.post({ text: 'Ding [[reject]]' }, made.key);
    await world.sql('update posts set text = $2 where id = $1', [postId, 'Ding [[vanish]]']);
    const retry = (by: string, body: object = {}) => world.rest(`POST /posts/${postId}/retry`, { key: by, body });
    return { ...made, postId, retry };
  }

  it.each([
    ['now', {}],
    ['now, with the force of before', { force: true }],
    ['at a time', { scheduledFor: IN_AN_HOUR }],
  ])('is not sent again %s while its outcome is unknown', async (_, plan) => {
    const { key, agent, retry, published, holdPolicy } = await failed({ rules: { postsPerDay: 50 } });
    const held = await holdPolicy();
    const second = retry(agent, plan);
    await held.waiting(1);
    const first = await retry(key);

    await held.release();

    expect(first.body.result.error.code).toBe('outcome_unknown');
    const { status, body } = await second;
    expect([status, body.error, body.message]).toEqual([400, 'invalid_request', expect.stringContaining('force: ')]);
    expect(await published()).toHaveLength(1);
  });

  it('waits for no approval while its outcome is unknown', async () => {
    const { key, agent, postId, retry, holdKey } = await failed({ approval: 'required' });
    // The first use of a key changes its row.
    await world.rest('GET /account', { key: agent });
    const held = await holdKey();
    const second = retry(agent);
    await held.waiting(1);
    await retry(key);

    await held.release();

    const { status, body } = await second;
    expect([status, body.error]).toEqual([400, 'invalid_request']);
    const { post } = (await world.rest(`GET /posts/${postId}`, { key })).body;
    expect([post.status, post.error.code, post.approval]).toEqual(['failed', 'outcome_unknown', null]);
  });
});

describe.skipIf(isEmbedded)('moving a post into the queue under a policy', () => {
  it('is not in the way of ordering that queue', async () => {
    const { key, agent, connection, post } = await tenant({ rules: { postsPerDay: 50 } });
    await world.rest(`PATCH /connections/${connection.id}/queue`, { key, body: { slots: EVERY_DAY } });
    const { postId: one } = await post({ queue: true });
    const { postId: other } = await post({ queue: true });
    // The policy reads the images of the post.
    const held = await holdRows(world, 'lock table post_media in access exclusive mode');
    const moving = world.rest(`POST /posts/${one}/reschedule`, { key: agent, body: { queue: true } });
    await held.waiting(1);
    const ordering = world.rest(`PUT /connections/${connection.id}/queue/order`, {
      key,
      body: { postIds: [other, one] },
    });
    await held.waiting(2, ordering);

    await held.release();

    const [moved, ordered] = await Promise.all([moving, ordering]);
    expect([moved.status, moved.body.result?.status, ordered.status]).toEqual([200, 'scheduled', 200]);
  });
});

describe.skipIf(isEmbedded)('a draft that is approved and published at once, on a plan with limits', () => {
  it.each([{}, { queue: true }])(
    'goes out once, and neither request waits for the other without end (%o)',
    async (plan) => {
      const { key, connection, accountId, post } = await tenant({ approval: 'required' });
      await world.sql(`update accounts set plan = 'free' where id = $1`, [accountId]);
      await world.rest(`PATCH /connections/${connection.id}/queue`, { key, body: { slots: EVERY_DAY } });
      const { postId } = await post(plan);
      const held = await holdRows(world, 'select id from approvals where post_id = $1 for update', [postId]);
      const approving = world.rest(`POST /posts/${postId}/approve`, { key, body: {} });
      await held.waiting(1);
      const publishing = world.rest(`POST /posts/${postId}/publish`, { key, body: plan });
      await held.waiting(2, publishing);

      await held.release();

      const [approved, published] = await Promise.all([approving, publishing]);
      expect([approved.status, approved.body.result?.error, published.status, published.body.error]).toEqual([
        200,
        null,
        404,
        'not_found',
      ]);
      expect(await sandboxOf(world, connection.id)).toHaveLength('queue' in plan ? 0 : 1);
    },
  );
});

describe.skipIf(isEmbedded)('an image that is deleted while a post is approved with it, on a plan with limits', () => {
  it('stays, and neither request waits for the other without end', async () => {
    const { key, accountId, post } = await tenant({ approval: 'required' });
    await world.sql(`update accounts set plan = 'free' where id = $1`, [accountId]);
    const raw = await plain(8, 8).png().toBuffer();
    const upload = await world.rest('POST /media', { key, raw, headers: { 'content-type': 'image/png' } });
    const { id } = upload.body.media;
    const { postId } = await post({ scheduledFor: IN_AN_HOUR });
    const held = await holdRows(world, 'select id from accounts where id = $1 for no key update', [accountId]);
    const approving = world.rest(`POST /posts/${postId}/approve`, { key, body: { mediaIds: [id] } });
    await held.waiting(1);
    const deleting = world.rest(`DELETE /media/${id}`, { key });
    await held.waiting(2, deleting);

    await held.release();

    const [approved, deleted] = await Promise.all([approving, deleting]);
    expect([approved.status, deleted.status, deleted.body.error]).toEqual([200, 409, 'media_in_use']);
  });
});

describe.skipIf(isEmbedded)('a draft for which an agent asks while its owner publishes it', () => {
  it('leaves no request behind', async () => {
    const { key, agent, connection, post } = await tenant({ approval: 'required' });
    await world.rest(`PATCH /connections/${connection.id}/queue`, { key, body: { slots: EVERY_DAY } });
    const { postId } = await post({ isDraft: true });
    const held = await holdRows(world, 'select id from connections where id = $1 for update', [connection.id]);
    const publishing = world.rest(`POST /posts/${postId}/publish`, { key, body: { queue: true } });
    await held.waiting(1);
    const asked = await world.rest(`POST /posts/${postId}/publish`, { key: agent, body: {} });

    await held.release();

    expect([asked.body.result.approval.state, (await publishing).body.result.status]).toEqual(['pending', 'scheduled']);
    expect((await world.rest('GET /approvals', { key })).body.approvals).toEqual([]);
    expect((await world.rest(`GET /posts/${postId}`, { key })).body.post.approval.state).toBe('approved');
  });
});
