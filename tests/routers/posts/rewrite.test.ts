/** AI polish over the API: which setting enables it, which text is published, and what callers receive. */
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { accountWithSandbox } from '../../harness/connections.ts';
import { UUID } from '../../harness/expected.ts';
import { startPolishedWorld } from '../../harness/polished-world.ts';
import { eventsAbout, sandboxOf } from '../../harness/posts.ts';
import { START } from '../../harness/test-clock.ts';
import { startWorld, type World } from '../../harness/world.ts';
import { polished } from '../../platforms/fakes/fake-model.ts';
import { startBlueskyServer } from '../../platforms/servers/bluesky.ts';

const bluesky = await startBlueskyServer({ now: () => START });
afterAll(() => bluesky.close());
const { world, model } = await startPolishedWorld(bluesky.env);
const off = await startWorld();

beforeEach(() => {
  model.asked.length = 0;
  model.answer = ({ text }) => polished(text);
});

async function send(key: string, body: Record<string, unknown>, where: World = world) {
  const answer = await where.rest('POST /posts', { key, body: { connectionSlugs: ['sandbox'], ...body } });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body.results[0];
}

const read = async (key: string, postId: string, where: World = world) =>
  (await where.rest(`GET /posts/${postId}`, { key })).body.post;

/** The fields of a post that report the outcome of its rewrite. */
const textsOf = ({ text, originalText, aiRewriteStatus }: Record<string, unknown>) => ({
  text,
  originalText,
  aiRewriteStatus,
});

const REWRITTEN = { text: 'Polished Helo', originalText: 'Helo', aiRewriteStatus: 'rewritten' };
const UNTOUCHED = { text: 'Helo', originalText: 'Helo', aiRewriteStatus: null };

describe('a rewrite', () => {
  it('is published instead of the text, which the post keeps', async () => {
    const { key, connection } = await accountWithSandbox(world);

    const result = await send(key, { text: 'Helo', rewrite: true });

    expect(result).toEqual({
      connectionSlug: 'sandbox',
      status: 'sent',
      postId: UUID,
      url: expect.any(String),
      scheduledFor: null,
      threadCount: 0,
      hasFirstComment: false,
      error: null,
    });
    expect(textsOf(await read(key, result.postId))).toEqual(REWRITTEN);
    const { body } = await world.rest('GET /posts', { key });
    expect(body.posts.map(textsOf)).toEqual([REWRITTEN]);
    expect(await sandboxOf(world, connection.id)).toMatchObject([{ text: 'Polished Helo' }]);
    const [event] = await eventsAbout(world, result.postId);
    expect(event).toMatchObject({ name: 'post.sent', payload: { post: { text: 'Polished Helo' } } });
  });

  it('does not add a word about which the policy of the key asks a person', async () => {
    const { key, id } = await accountWithSandbox(world);
    const agent = await world.key({ accountId: id });
    await world.rest(`PUT /policies/${agent.id}`, { key, body: { approvalWords: ['refund'] } });
    model.answer = () => 'Hello, get your refund';

    const byAgent = await send(agent.secret, { text: 'Helo', rewrite: true });
    const byOwner = await send(key, { text: 'Helo', rewrite: true });

    expect(textsOf(await read(key, byAgent.postId))).toMatchObject({ text: 'Helo', aiRewriteStatus: 'failed' });
    expect(byAgent.warning).toBe('The rewrite added a word that needs a person. The original text went out.');
    expect(textsOf(await read(key, byOwner.postId))).toMatchObject({ text: 'Hello, get your refund' });
  });

  it('is requested with model and key of the install, and only with parameters that all servers accept', async () => {
    const { key } = await accountWithSandbox(world);

    await send(key, { text: 'Helo', rewrite: true });

    expect(model.asked).toMatchObject([
      { authorization: 'Bearer sk-secret-of-the-install', roles: ['system', 'user'] },
    ]);
    expect(model.asked[0]?.body).toEqual({ model: 'bell-1', messages: [expect.anything(), expect.anything()] });
  });

  it('is made separately for each connection, with the limit of its platform', async () => {
    const { key } = await accountWithSandbox(world);
    const { credentials } = bluesky;
    await world.rest('POST /connections', { key, body: { platformId: 'bluesky', credentials, slug: 'bluesky' } });
    const bothAsked = Promise.withResolvers<void>();
    model.answer = async ({ instructions }) => {
      if (model.asked.length === 2) bothAsked.resolve();
      await bothAsked.promise;
      return /Bluesky takes at most 300 characters/.test(instructions) ? 'For Bluesky' : 'For the sandbox';
    };

    const { body } = await world.rest('POST /posts', {
      key,
      body: { text: 'Helo', connectionSlugs: ['sandbox', 'bluesky'], rewrite: true },
    });

    const posts = await Promise.all(body.results.map(({ postId }: { postId: string }) => read(key, postId)));
    expect(posts.map(({ text }) => text)).toEqual(['For the sandbox', 'For Bluesky']);
    expect(await bluesky.existing()).toContain('For Bluesky');
    expect(model.asked.map(({ instructions }) => /takes at most (\d+ characters)/.exec(instructions)?.[1])).toEqual(
      expect.arrayContaining(['500 characters', '300 characters']),
    );
  });

  it('that equals the text still counts as a rewrite', async () => {
    const { key } = await accountWithSandbox(world);
    model.answer = ({ text }) => text;

    const { postId } = await send(key, { text: 'Hello', rewrite: true });

    expect(textsOf(await read(key, postId))).toEqual({
      text: 'Hello',
      originalText: 'Hello',
      aiRewriteStatus: 'rewritten',
    });
  });

  it('is also made with a test key', async () => {
    const { id: accountId, key } = await accountWithSandbox(world);
    const { secret } = await world.key({ type: 'test', accountId });

    const { postId } = await send(secret, { text: 'Helo', rewrite: true });

    expect(textsOf(await read(key, postId))).toEqual(REWRITTEN);
  });

  it('is also made over the simple endpoint', async () => {
    const { key } = await accountWithSandbox(world);

    const { status } = await world.rest('POST /post/sandbox?rewrite=true', {
      key,
      raw: 'Helo',
      headers: { 'content-type': 'text/plain' },
    });

    expect(status).toBe(200);
    const { body } = await world.rest('GET /posts', { key });
    expect(body.posts.map(textsOf)).toEqual([REWRITTEN]);
  });
});

describe('the setting', () => {
  it.each([
    { rewrite: true, mode: 'off', byDefault: false, rewritten: true },
    { rewrite: false, mode: 'on', byDefault: true, rewritten: false },
    { rewrite: undefined, mode: 'on', byDefault: false, rewritten: true },
    { rewrite: undefined, mode: 'off', byDefault: true, rewritten: false },
    { rewrite: undefined, mode: 'inherit', byDefault: true, rewritten: true },
    { rewrite: undefined, mode: 'inherit', byDefault: false, rewritten: false },
  ])('is that of the post, else connection, else account: %j', async ({ rewrite, mode, byDefault, rewritten }) => {
    const { key, connection } = await accountWithSandbox(world);
    await world.rest(`PATCH /connections/${connection.id}/settings`, { key, body: { rewriteMode: mode } });
    await world.rest('PATCH /account', { key, body: { rewriteDefault: byDefault } });
    const scheduledFor = new Date(world.clock.now().getTime() + 60_000).toISOString();

    const now = await send(key, { text: 'Helo', rewrite });
    const later = await send(key, { text: 'Helo', rewrite, scheduledFor });
    await world.advance(60_000);

    const expected = rewritten ? REWRITTEN : UNTOUCHED;
    expect(textsOf(await read(key, now.postId))).toEqual(expected);
    expect(textsOf(await read(key, later.postId))).toEqual(expected);
    expect(model.asked).toHaveLength(rewritten ? 2 : 0);
  });
});

describe('a scheduled post', () => {
  it('is rewritten when it is due, and not earlier', async () => {
    const { key } = await accountWithSandbox(world);
    const scheduledFor = new Date(world.clock.now().getTime() + 60_000).toISOString();
    const { postId } = await send(key, { text: 'Helo', rewrite: true, scheduledFor });

    const before = await read(key, postId);
    const askedBefore = model.asked.length;
    await world.advance(60_000);

    expect(textsOf(before)).toEqual(UNTOUCHED);
    expect(askedBefore).toBe(0);
    expect(textsOf(await read(key, postId))).toEqual(REWRITTEN);
  });

  it('is rewritten in its slot', async () => {
    const { key, connection } = await accountWithSandbox(world);
    const queueSlots = [{ weekday: 6, time: '18:00' }];
    const set = await world.rest(`PATCH /connections/${connection.id}/queue`, {
      key,
      body: { timezone: 'UTC', slots: queueSlots },
    });
    if (set.status !== 200) throw new Error(JSON.stringify(set.body));
    const { postId, scheduledFor } = await send(key, { text: 'Helo', rewrite: true, queue: true });

    await world.advance(new Date(scheduledFor).getTime() - world.clock.now().getTime());

    expect(textsOf(await read(key, postId))).toEqual(REWRITTEN);
  });

  it('is rewritten on a plan that meters posts', async () => {
    const { id, key } = await accountWithSandbox(world);
    await world.sql(`update accounts set plan = 'free' where id = $1`, [id]);
    const scheduledFor = new Date(world.clock.now().getTime() + 60_000).toISOString();
    const { postId } = await send(key, { text: 'Helo', rewrite: true, scheduledFor });

    await world.advance(60_000);

    expect(textsOf(await read(key, postId))).toEqual(REWRITTEN);
  });

  it('is rewritten when it is published from a draft', async () => {
    const { key } = await accountWithSandbox(world);
    const { postId } = await send(key, { text: 'Helo', rewrite: true, isDraft: true });
    const asDraft = await read(key, postId);

    const { body } = await world.rest(`POST /posts/${postId}/publish`, { key, body: {} });

    expect(textsOf(asDraft)).toEqual(UNTOUCHED);
    expect(body.result.status).toBe('sent');
    expect(textsOf(await read(key, postId))).toEqual(REWRITTEN);
  });
});

describe('a retry', () => {
  const retry = (key: string, postId: string, body: object = {}) =>
    world.rest(`POST /posts/${postId}/retry`, { key, body });

  it('sends the earlier rewrite again, without a second request to the model', async () => {
    const { key, connection } = await accountWithSandbox(world);
    model.answer = () => 'Polished [[unavailable]]';
    const { postId, error } = await send(key, { text: 'Helo', rewrite: true });
    model.answer = () => 'Another text';

    await retry(key, postId);

    expect(error.code).toBe('platform_unavailable');
    expect(model.asked).toHaveLength(1);
    expect(textsOf(await read(key, postId))).toEqual({ ...REWRITTEN, text: 'Polished [[unavailable]]' });
    expect(await sandboxOf(world, connection.id)).toEqual([]);
  });

  it('requests the rewrite that failed the first time', async () => {
    const { key } = await accountWithSandbox(world);
    model.answer = () => ({ status: 503, json: {} });
    const first = await send(key, { text: 'Helo [[unavailable]]', rewrite: true });
    const between = await read(key, first.postId);
    model.answer = () => 'Hello';

    const { body } = await retry(key, first.postId);

    expect(first).not.toHaveProperty('warning');
    expect(between.aiRewriteStatus).toBe('failed');
    expect(body.result).not.toHaveProperty('warning');
    expect(textsOf(await read(key, first.postId))).toEqual({
      text: 'Hello',
      originalText: 'Helo [[unavailable]]',
      aiRewriteStatus: 'rewritten',
    });
  });

  it('keeps the text of a post with an unknown outcome', async () => {
    const { key } = await accountWithSandbox(world);
    model.answer = () => ({ status: 503, json: {} });
    const { postId, error } = await send(key, { text: 'Helo [[vanish]]', rewrite: true });
    model.answer = () => 'Hello';

    await retry(key, postId, { force: true });

    expect(error.code).toBe('outcome_unknown');
    expect(model.asked).toHaveLength(1);
    expect(await read(key, postId)).toMatchObject({ text: 'Helo [[vanish]]', aiRewriteStatus: 'failed' });
  });
});

describe('a failed post that becomes a draft, because its retry needs approval', () => {
  /** Its key, and its id. */
  async function rewrittenDraft() {
    const { id: accountId, key, connection } = await accountWithSandbox(world);
    const { secret: agent } = await world.key({ accountId, approval: 'required' });
    model.answer = () => 'Polished [[unavailable]]';
    const { postId } = await send(key, { text: 'Helo', rewrite: true });
    await world.rest(`POST /posts/${postId}/retry`, { key: agent, body: {} });
    return { key, connection, postId };
  }

  it('keeps what the caller sent when something else of it is edited', async () => {
    const { key, postId } = await rewrittenDraft();

    const { body } = await world.rest(`PATCH /posts/${postId}`, { key, body: { tags: ['new'] } });

    expect(textsOf(body.post)).toEqual({ ...REWRITTEN, text: 'Polished [[unavailable]]' });
  });

  it('is rewritten again when its text is edited', async () => {
    const { key, connection, postId } = await rewrittenDraft();
    model.answer = ({ text }) => polished(text);

    const { body } = await world.rest(`PATCH /posts/${postId}`, { key, body: { text: 'Helo' } });
    await world.rest(`POST /posts/${postId}/publish`, { key, body: {} });

    expect(textsOf(body.post)).toEqual(UNTOUCHED);
    expect(textsOf(await read(key, postId))).toEqual(REWRITTEN);
    expect(await sandboxOf(world, connection.id)).toMatchObject([{ text: 'Polished Helo' }]);
  });
});

describe('a thread', () => {
  it('is not rewritten, and is published unchanged', async () => {
    const { key } = await accountWithSandbox(world);
    const { credentials } = bluesky;
    await world.rest('POST /connections', { key, body: { platformId: 'bluesky', credentials, slug: 'bluesky' } });
    const thread = { text: 'Helo', thread: ['And mor'], connectionSlugs: ['bluesky'] };
    const scheduledFor = new Date(world.clock.now().getTime() + 60_000).toISOString();

    const now = await send(key, { ...thread, rewrite: true });
    const later = await send(key, { ...thread, rewrite: true, scheduledFor });
    const unasked = await send(key, thread);
    await world.advance(60_000);

    expect(now).toMatchObject({ status: 'sent', threadCount: 1 });
    expect(now).not.toHaveProperty('warning');
    expect(textsOf(await read(key, now.postId))).toEqual({ ...UNTOUCHED, aiRewriteStatus: 'skipped' });
    expect(textsOf(await read(key, later.postId))).toEqual({ ...UNTOUCHED, aiRewriteStatus: 'skipped' });
    expect(textsOf(await read(key, unasked.postId))).toEqual(UNTOUCHED);
    expect(model.asked).toEqual([]);
  });
});

describe('a failed rewrite', () => {
  it('publishes the original, with a warning', async () => {
    const { key, connection } = await accountWithSandbox(world);
    model.answer = () => 'x'.repeat(501);

    const result = await send(key, { text: 'Helo', rewrite: true });

    expect(result).toMatchObject({
      status: 'sent',
      warning: 'The rewrite has 501 characters; Sandbox takes at most 500. The original text went out.',
      error: null,
    });
    expect(textsOf(await read(key, result.postId))).toEqual({ ...UNTOUCHED, aiRewriteStatus: 'failed' });
    expect(await sandboxOf(world, connection.id)).toMatchObject([{ text: 'Helo' }]);
  });

  it('is reported again when the request is repeated under its Idempotency-Key', async () => {
    const { key } = await accountWithSandbox(world);
    model.answer = () => '';
    const body = { text: 'Helo', rewrite: true, connectionSlugs: ['sandbox'] };
    const request = () => world.rest('POST /posts', { key, body, headers: { 'idempotency-key': 'one' } });
    const first = await request();

    // The state after a process that ended before it stored its answer.
    await world.sql(
      `update idempotency_records set completed_at = null, response = jsonb_build_object('results', jsonb_build_array(jsonb_build_object('pending', $1::text)))`,
      [first.body.results[0].postId],
    );
    const second = await request();

    expect(first.body.results[0].warning).toBe('The model answered without a text. The original text went out.');
    expect(second.body).toEqual(first.body);
    expect(model.asked).toHaveLength(1);
  });

  it('is reported on an install without a model, so that callers know that nothing was rewritten', async () => {
    const { key } = await accountWithSandbox(off);

    const result = await send(key, { text: 'Helo', rewrite: true }, off);
    const unasked = await send(key, { text: 'Helo' }, off);

    expect(result).toMatchObject({
      status: 'sent',
      warning: 'AI polish is not set up on this install. The original text went out.',
    });
    expect(textsOf(await read(key, result.postId, off))).toEqual({ ...UNTOUCHED, aiRewriteStatus: 'failed' });
    expect(unasked).not.toHaveProperty('warning');
  });
});

describe('validating a post', () => {
  it('sends no request to the model', async () => {
    const { key } = await accountWithSandbox(world);

    const { body } = await world.rest('POST /posts/validate', {
      key,
      body: { text: 'Helo', rewrite: true, connectionSlugs: ['sandbox'] },
    });

    expect(body.results).toMatchObject([{ ok: true, text: 'Helo' }]);
    expect(model.asked).toEqual([]);
  });
});
