/**
 * Keys whose posts need approval: what they want to send waits as a draft, and one decision of a person settles it
 * (docs/contract/approvals.md).
 */
import { describe, expect, it } from 'vitest';
import { accountWithSandbox } from '../../harness/connections.ts';
import { eventsAbout, makePost, sandboxOf } from '../../harness/posts.ts';
import { startReceiver } from '../../harness/receiver.ts';
import { startWorld } from '../../harness/world.ts';

// The clock is at noon on a Saturday.
const world = await startWorld();
const HOUR = 3_600_000;
const SLOTS = [0, 1, 2].map((weekday) => ({ weekday, time: '09:00' }));

/** An account with a sandbox, the key of its owner, and one whose posts need approval. */
async function tenant() {
  const { key, connection, id } = await accountWithSandbox(world);
  const { secret: asking, id: askingId } = await world.key({ accountId: id, approval: 'required' });
  const post = async (fields: object = {}) => {
    const { body } = await world.rest('POST /posts', {
      key: asking,
      body: { text: 'May I?', connectionSlugs: ['sandbox'], ...fields },
    });
    return body.results[0];
  };
  return {
    accountId: id,
    key,
    asking,
    askingId,
    connection,
    /** Asks for a post, and gives its id. */
    ask: async (fields: object = {}): Promise<string> => (await post(fields)).postId,
    post,
    read: async (postId: string) => (await world.rest(`GET /posts/${postId}`, { key: asking })).body.post,
    approve: (postId: string, body: object = {}, by = key) =>
      world.rest(`POST /posts/${postId}/approve`, { key: by, body }),
    reject: (postId: string, reason = 'Not today.', by = key) =>
      world.rest(`POST /posts/${postId}/reject`, { key: by, body: { reason } }),
    published: () => sandboxOf(world, connection.id),
    pending: async (by = key) =>
      (await world.rest('GET /approvals', { key: by })).body.approvals.map((one: { postId: string }) => one.postId),
  };
}

const draftFor = (replaces: readonly string[]) => ({
  text: 'Hello',
  connectionSlugs: ['sandbox'],
  isDraft: true,
  replaces,
});
const iso = (ms: number) => new Date(world.clock.now().getTime() + ms).toISOString();
const now = () => world.clock.now().toISOString();

describe('what a key that has to ask wants to send', () => {
  it('is stored as a draft with the plan, and nothing goes out', async () => {
    const { post, read, published, askingId } = await tenant();

    const result = await post();
    await world.advance(HOUR);

    const approval = {
      state: 'pending',
      plan: { scheduledFor: null, queue: false },
      requestedAt: iso(-HOUR),
      requestedBy: { kind: 'key', id: askingId, name: 'A key' },
      expiresAt: iso(7 * 24 * HOUR - HOUR),
      decidedAt: null,
      decidedBy: null,
      reason: null,
    };
    expect(result).toEqual({
      connectionSlug: 'sandbox',
      status: 'draft',
      postId: expect.any(String),
      url: null,
      scheduledFor: null,
      threadCount: 0,
      hasFirstComment: false,
      approval,
      error: null,
    });
    expect(await read(result.postId)).toMatchObject({
      status: 'draft',
      approval,
      createdBy: { kind: 'key', id: askingId, name: 'A key', onBehalfOf: null },
    });
    expect(await published()).toEqual([]);
    expect(await eventsAbout(world, result.postId)).toMatchObject([
      {
        name: 'post.approval_requested',
        payload: {
          post: { id: result.postId, connectionSlug: 'sandbox', text: 'May I?', profileId: null },
          approval,
        },
      },
    ]);
  });

  it('keeps the time or the queue that it asked for', async () => {
    const { connection, key, post } = await tenant();
    await world.rest(`PATCH /connections/${connection.id}/queue`, { key, body: { slots: SLOTS } });
    const time = iso(2 * HOUR);

    const [scheduled, queued] = [await post({ scheduledFor: time }), await post({ queue: true })];

    expect([scheduled.approval.plan, queued.approval.plan]).toEqual([
      { scheduledFor: time, queue: false },
      { scheduledFor: null, queue: true },
    ]);
    expect([scheduled.scheduledFor, queued.scheduledFor]).toEqual([null, null]);
  });

  it('waits on the simple endpoint too', async () => {
    const { asking, read } = await tenant();

    const { status, body } = await world.rest('POST /post/sandbox', {
      key: asking,
      raw: 'May I?',
      headers: { 'content-type': 'text/plain' },
    });

    expect([status, body]).toEqual([200, { approval: 'pending', post_id: expect.any(String) }]);
    expect(await read(body.post_id)).toMatchObject({ status: 'draft', approval: { state: 'pending' } });
  });

  it.each([
    [
      'publishes a draft',
      async (to: Awaited<ReturnType<typeof tenant>>) => {
        const { postId } = await to.post({ isDraft: true });
        return [postId, `POST /posts/${postId}/publish`, {}] as const;
      },
    ],
    [
      'sends a failed post again',
      async (to: Awaited<ReturnType<typeof tenant>>) => {
        const { postId } = await makePost(world, 'sandbox', {
          key: to.key,
          text: '[[reject]] Hello',
        });
        return [postId, `POST /posts/${postId}/retry`, {}] as const;
      },
    ],
    [
      'moves a scheduled post',
      async (to: Awaited<ReturnType<typeof tenant>>) => {
        const { postId } = await makePost(world, 'sandbox', { key: to.key, scheduledFor: iso(HOUR) });
        return [postId, `POST /posts/${postId}/reschedule`, { scheduledFor: iso(2 * HOUR) }] as const;
      },
    ],
  ] as const)('waits when it %s', async (_, prepare) => {
    const to = await tenant();
    const [postId, call, body] = await prepare(to);

    const { status, body: answer } = await world.rest(call, { key: to.asking, body });
    await world.advance(3 * HOUR);

    expect([status, answer.result.status, answer.result.approval.state]).toEqual([200, 'draft', 'pending']);
    expect(await to.read(postId)).toMatchObject({ status: 'draft', error: null, scheduledFor: null });
    expect(await to.published()).toEqual([]);
  });

  it('is a plain draft when it is asked for as one', async () => {
    const { post } = await tenant();

    expect(await post({ isDraft: true })).not.toHaveProperty('approval');
  });

  it('is not sent again when the same request is repeated with its key', async () => {
    const { asking, pending } = await tenant();
    const call = () =>
      world.rest('POST /posts', {
        key: asking,
        body: { text: 'Once', connectionSlugs: ['sandbox'] },
        headers: { 'idempotency-key': 'once' },
      });

    const [first, again] = [await call(), await call()];

    expect(again.body).toEqual(first.body);
    expect(await pending()).toHaveLength(1);
  });

  it.each([
    ['PUT', 'queue/order', { postIds: ['00000000-0000-7000-8000-000000000000'] }],
    ['PATCH', 'settings', { rewriteMode: 'on' }],
    ['PATCH', 'queue', { paused: false }],
    ['PATCH', 'queue', { slots: SLOTS }],
  ])('cannot be let out by %s /connections/{connectionId}/%s', async (method, path, body) => {
    const { asking, connection } = await tenant();

    const answer = await world.rest(`${method} /connections/${connection.id}/${path}`, { key: asking, body });

    expect([answer.status, answer.body.error]).toEqual([403, 'forbidden']);
  });

  it('can be held back by pausing a queue', async () => {
    const { asking, connection } = await tenant();

    const { status } = await world.rest(`PATCH /connections/${connection.id}/queue`, {
      key: asking,
      body: { paused: true },
    });

    expect(status).toBe(200);
  });
});

describe('approving', () => {
  it('sends a post now, once, in the name of the key that asked', async () => {
    const { ask, approve, read, published, askingId } = await tenant();
    const postId = await ask();

    const { status, body } = await approve(postId);

    expect([status, body.result]).toMatchObject([200, { status: 'sent', postId, error: null }]);
    expect(await published()).toHaveLength(1);
    expect(await read(postId)).toMatchObject({
      status: 'sent',
      approval: { state: 'approved', decidedAt: now(), decidedBy: { kind: 'key', name: 'A key' }, reason: null },
      createdBy: { id: askingId },
    });
    expect((await eventsAbout(world, postId)).map(({ name }) => name)).toEqual([
      'post.approval_requested',
      'post.approved',
      'post.sent',
    ]);
  });

  it('schedules for a time that is still ahead, and sends now for one that has passed', async () => {
    const { ask, approve, published } = await tenant();
    const time = iso(2 * HOUR);
    const [early, late] = [await ask({ scheduledFor: time }), await ask({ scheduledFor: iso(HOUR / 2) })];
    await world.advance(HOUR);

    const [ahead, passed] = [await approve(early), await approve(late)];

    expect(ahead.body.result).toMatchObject({ status: 'scheduled', scheduledFor: time });
    expect(passed.body.result).toMatchObject({ status: 'sent' });
    await world.advance(HOUR);
    expect(await published()).toHaveLength(2);
  });

  it('takes the slot that is next then, not the one that was next when it was asked for', async () => {
    const { ask, approve, connection, key } = await tenant();
    await world.rest(`PATCH /connections/${connection.id}/queue`, { key, body: { slots: SLOTS } });
    const postId = await ask({ queue: true });
    const taken = await world.rest('POST /posts', {
      key,
      body: { text: 'First', connectionSlugs: ['sandbox'], queue: true },
    });

    const { body } = await approve(postId);

    expect(body.result.status).toBe('scheduled');
    expect(body.result.scheduledFor > taken.body.results[0].scheduledFor).toBe(true);
  });

  it('leaves the post waiting when its queue has no slot, and approves it later', async () => {
    const { ask, approve, read, connection, key } = await tenant();
    const postId = await ask({ queue: true });

    const refused = await approve(postId);

    expect([refused.status, refused.body.error]).toEqual([400, 'queue_empty']);
    expect(await read(postId)).toMatchObject({ status: 'draft', approval: { state: 'pending' } });
    await world.rest(`PATCH /connections/${connection.id}/queue`, { key, body: { slots: SLOTS } });
    expect((await approve(postId)).body.result.status).toBe('scheduled');
  });

  it('changes the post first when changes are sent, in one step', async () => {
    const { ask, approve, read } = await tenant();
    const postId = await ask({ tags: ['draft'] });

    const { body } = await approve(postId, { text: 'You may.', tags: ['checked'] });

    expect(body.result.status).toBe('sent');
    expect(await read(postId)).toMatchObject({ text: 'You may.', tags: ['checked'], approval: { state: 'approved' } });
  });

  it('changes nothing when the changes do not fit', async () => {
    const { ask, approve, read } = await tenant();
    const postId = await ask();

    const { status, body } = await approve(postId, { text: 'x'.repeat(501) });

    expect([status, body.error]).toEqual([400, 'invalid_request']);
    expect(await read(postId)).toMatchObject({ text: 'May I?', approval: { state: 'pending' } });
  });

  it('sends a failed post again under a new ledger row', async () => {
    const { asking, key, approve, read } = await tenant();
    const { postId } = await makePost(world, 'sandbox', { key, text: '[[reject]] Hello' });
    await world.rest(`POST /posts/${postId}/retry`, { key: asking, body: {} });

    const { body } = await approve(postId, { text: 'Hello' });

    expect(body.result.status).toBe('sent');
    expect(await read(postId)).toMatchObject({ status: 'sent', tries: 2 });
  });

  it('refuses the request that was not read, when a newer one waits', async () => {
    const { ask, approve, asking } = await tenant();
    const postId = await ask();
    const read = now();
    world.clock.advance(1_000);
    await world.rest(`PATCH /posts/${postId}`, { key: asking, body: { text: 'Something else' } });
    await world.rest(`POST /posts/${postId}/publish`, { key: asking, body: {} });

    const stale = await approve(postId, { requestedAt: read });

    expect([stale.status, stale.body.error]).toEqual([409, 'approval_not_pending']);
    expect((await approve(postId, { requestedAt: now() })).body.result.status).toBe('sent');
  });

  it('is also what publishing the draft by an owner means', async () => {
    const { ask, key, read } = await tenant();
    const postId = await ask();

    await world.rest(`POST /posts/${postId}/publish`, { key, body: {} });

    expect(await read(postId)).toMatchObject({ status: 'sent', approval: { state: 'approved' } });
  });
});

describe('rejecting', () => {
  it('keeps the draft, and the agent reads the reason', async () => {
    const { ask, reject, read, published } = await tenant();
    const postId = await ask();

    const { status, body } = await reject(postId, 'Say which event.');

    expect([status, body.post.approval]).toMatchObject([200, { state: 'rejected', reason: 'Say which event.' }]);
    expect(await read(postId)).toMatchObject({
      status: 'draft',
      approval: { state: 'rejected', decidedAt: now(), decidedBy: { kind: 'key' }, reason: 'Say which event.' },
    });
    expect(await published()).toEqual([]);
    expect((await eventsAbout(world, postId)).map(({ name }) => name)).toEqual([
      'post.approval_requested',
      'post.rejected',
    ]);
  });

  it('can be answered by an edit and another request, which shows what was asked before', async () => {
    const { ask, reject, asking, key, approve } = await tenant();
    const postId = await ask();
    await reject(postId, 'Say which event.');

    await world.rest(`PATCH /posts/${postId}`, { key: asking, body: { text: 'May I, at the fair?' } });
    await world.rest(`POST /posts/${postId}/publish`, { key: asking, body: {} });

    const { body } = await world.rest('GET /approvals', { key });
    expect(body).toEqual({
      consoleUrl: 'http://localhost:3000/approvals',
      approvals: [
        {
          id: expect.any(String),
          postId,
          connectionSlug: 'sandbox',
          platformId: 'sandbox',
          profileId: null,
          approval: expect.objectContaining({ state: 'pending' }),
          content: { text: 'May I, at the fair?', thread: [], firstComment: null, media: [] },
          previousContent: { text: 'May I?', thread: [], firstComment: null, media: [] },
        },
      ],
      limit: 25,
      nextCursor: null,
    });
    expect((await approve(postId)).body.result.status).toBe('sent');
  });
});

describe('a request', () => {
  it('is void once the draft is edited', async () => {
    const { ask, asking, approve, read } = await tenant();
    const postId = await ask();

    await world.rest(`PATCH /posts/${postId}`, { key: asking, body: { text: 'Something else' } });

    expect(await read(postId)).toMatchObject({ approval: { state: 'void', reason: 'The draft was edited.' } });
    const { status, body } = await approve(postId);
    expect([status, body.message]).toEqual([
      409,
      `The request for the post ${postId} is void since ${now()}, by A key. Nothing was changed.`,
    ]);
  });

  it('is void once the key that asked is revoked, and its draft stays', async () => {
    const { ask, askingId, approve, key } = await tenant();
    const postId = await ask();

    await world.rest(`DELETE /keys/${askingId}`, { key });

    expect((await approve(postId)).status).toBe(409);
    expect((await world.rest(`GET /posts/${postId}`, { key })).body.post).toMatchObject({
      status: 'draft',
      approval: { state: 'void', reason: 'The key or agent that asked has ended.' },
    });
  });

  it('expires after seven days, and says so', async () => {
    const { ask, approve, read } = await tenant();
    const postId = await ask();

    await world.advance(7 * 24 * HOUR);

    expect(await read(postId)).toMatchObject({ status: 'draft', approval: { state: 'expired', decidedAt: now() } });
    expect((await eventsAbout(world, postId)).map(({ name }) => name)).toEqual([
      'post.approval_requested',
      'post.approval_expired',
    ]);
    expect((await approve(postId)).status).toBe(409);
  });

  it('ends with its draft', async () => {
    const { ask, key, pending } = await tenant();
    const postId = await ask();

    await world.rest(`DELETE /posts/${postId}`, { key });

    expect(await pending()).toEqual([]);
  });

  it.each([
    ['deleted', (postId: string) => ({ procedure: `DELETE /posts/${postId}` as const, body: undefined })],
    ['replaced by a new draft', (postId: string) => ({ procedure: 'POST /posts' as const, body: draftFor([postId]) })],
  ])('ends with its draft when that was a failed post, and the draft is %s', async (_how, ending) => {
    const { asking, key, pending, read } = await tenant();
    const { postId } = await makePost(world, 'sandbox', { key, text: '[[reject]] Hello' });
    await world.rest(`POST /posts/${postId}/retry`, { key: asking, body: {} });
    expect(await pending()).toEqual([postId]);

    const { procedure, body } = ending(postId);
    const answer = await world.rest(procedure, { key, body });

    expect(answer.status).toBe(200);
    expect(await pending()).toEqual([]);
    expect(await read(postId)).toBeUndefined();
  });

  it('is listed for its own account only, and for a key of its profile', async () => {
    const [mine, theirs] = [await tenant(), await tenant()];
    const postId = await mine.ask();
    const profile = await world.profile('Acme', mine.accountId);
    const { secret: scoped } = await world.key({ accountId: mine.accountId, profileId: profile.id });

    expect(await mine.pending()).toEqual([postId]);
    expect(await mine.pending(mine.asking)).toEqual([postId]);
    expect([await theirs.pending(), await mine.pending(scoped)]).toEqual([[], []]);
    expect((await theirs.approve(postId)).status).toBe(404);
    expect((await theirs.reject(postId)).status).toBe(404);
  });
});

describe('only owners and keys of the whole account decide', () => {
  it.each(['approve', 'reject'])('%s answers 403 to the key that asked, and to one of a profile', async (what) => {
    const { ask, asking, accountId } = await tenant();
    const postId = await ask();
    const profile = await world.profile('Acme', accountId);
    const { secret: scoped } = await world.key({ accountId, profileId: profile.id });

    const answers = await Promise.all(
      [asking, scoped].map((key) => world.rest(`POST /posts/${postId}/${what}`, { key, body: { reason: 'No.' } })),
    );

    expect(answers.map(({ status, body }) => [status, body.error])).toEqual([
      [403, 'forbidden'],
      [403, 'forbidden'],
    ]);
  });

  it('a key that has to ask makes only keys that have to ask', async () => {
    const { asking, accountId } = await tenant();
    const profile = await world.profile('Acme', accountId);
    const mint = (body: object) =>
      world.rest(`POST /profiles/${profile.id}/keys`, { key: asking, body: { name: 'Child', type: 'live', ...body } });

    const [silent, bold] = [await mint({}), await mint({ approval: 'none' })];

    expect([silent.status, silent.body.key.approval]).toEqual([201, 'required']);
    expect([bold.status, bold.body.error]).toEqual([403, 'forbidden']);
  });
});

describe('of what happens at once, one thing counts', () => {
  it.each([
    ['two approvals', 'approve', 'approve'],
    ['an approval and a rejection', 'approve', 'reject'],
    ['two rejections', 'reject', 'reject'],
  ] as const)('%s', async (_, one, other) => {
    const { ask, approve, reject, read, published } = await tenant();
    const postId = await ask();
    const decide = { approve: () => approve(postId), reject: () => reject(postId) };

    const answers = await Promise.all([decide[one](), decide[other]()]);

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
    const post = await read(postId);
    expect([post.status, post.approval.state, (await published()).length]).toBeOneOf([
      ['sent', 'approved', 1],
      ['draft', 'rejected', 0],
    ]);
  });

  it('an approval and an edit', async () => {
    const { ask, approve, asking, read, published } = await tenant();
    const postId = await ask();

    const [approved, edited] = await Promise.all([
      approve(postId),
      world.rest(`PATCH /posts/${postId}`, { key: asking, body: { text: 'Something else' } }),
    ]);

    const post = await read(postId);
    expect([approved.status, edited.status, post.status, post.text, (await published()).length]).toBeOneOf([
      [200, 400, 'sent', 'May I?', 1],
      [409, 200, 'draft', 'Something else', 0],
    ]);
  });

  it('an approval and a revocation', async () => {
    const { ask, approve, askingId, key, published } = await tenant();
    const postId = await ask();

    const [approved] = await Promise.all([approve(postId), world.rest(`DELETE /keys/${askingId}`, { key })]);

    const { approval } = (await world.rest(`GET /posts/${postId}`, { key })).body.post;
    expect([approved.status, approval.state, (await published()).length]).toBeOneOf([
      [200, 'approved', 1],
      [409, 'void', 0],
    ]);
  });
});

describe('an allowance', () => {
  it('lets the next posts of the same key go out, and then asks again', async () => {
    const { ask, approve, post, read } = await tenant();
    await approve(await ask(), { next: { posts: 2 } });

    const results = [await post(), await post(), await post()];

    expect(results.map(({ status }) => status)).toEqual(['sent', 'sent', 'draft']);
    expect(await read(results[0].postId)).toMatchObject({
      approval: { state: 'approved', decidedBy: { kind: 'key' }, reason: 'Within an allowance.' },
    });
  });

  it('ends at its time', async () => {
    const { ask, approve, post } = await tenant();
    await approve(await ask(), { next: { posts: 10, until: iso(HOUR) } });

    world.clock.advance(HOUR);

    expect((await post()).status).toBe('draft');
  });

  it('does not let a request out in part', async () => {
    const { ask, approve, post, key } = await tenant();
    await world.rest('POST /connections', { key, body: { platformId: 'sandbox', credentials: {}, slug: 'second' } });
    await approve(await ask(), { next: { posts: 1 } });

    const both = await post({ connectionSlugs: ['sandbox', 'second'] });
    const one = await post();

    expect([both.status, one.status]).toEqual(['draft', 'sent']);
  });

  it('does not count a post that is refused', async () => {
    const { ask, approve, asking, post } = await tenant();
    const draft = await post({ isDraft: true });
    await approve(await ask(), { next: { posts: 2 } });
    const waiting = await post({ scheduledFor: iso(HOUR) });
    const send = (call: `POST /${string}`) => world.rest(call, { key: asking, body: { queue: true } });

    const created = await post({ queue: true });
    const published = (await send(`POST /posts/${draft.postId}/publish`)).body.result;
    const moved = (await send(`POST /posts/${waiting.postId}/reschedule`)).body.result;

    const codes = [created, published, moved].map(({ error }) => error.code);
    expect(codes).toEqual(['queue_empty', 'queue_empty', 'queue_empty']);
    expect([(await post()).status, (await post()).status]).toEqual(['sent', 'draft']);
  });

  it('is of one key, and ends with it', async () => {
    const { ask, approve, accountId } = await tenant();
    await approve(await ask(), { next: { posts: 5 } });
    const { secret: other } = await world.key({ accountId, approval: 'required' });

    const { body } = await world.rest('POST /posts', {
      key: other,
      body: { text: 'Me too', connectionSlugs: ['sandbox'] },
    });

    expect(body.results[0].status).toBe('draft');
  });

  it('is refused for more than a day', async () => {
    const { ask, approve } = await tenant();

    const { status, body } = await approve(await ask(), { next: { posts: 1, until: iso(25 * HOUR) } });

    expect([status, body.error]).toEqual([400, 'invalid_request']);
  });
});

it('a receiver that names the events gets them', async () => {
  const { ask, reject, key } = await tenant();
  const receiver = await startReceiver();
  await world.rest('POST /webhooks', {
    key,
    body: { url: receiver.url, events: ['post.approval_requested', 'post.rejected'] },
  });

  await reject(await ask());
  await world.runDue();

  expect(receiver.received.map(({ body }) => body.event)).toEqual(['post.approval_requested', 'post.rejected']);
});
