/** What a key or an agent may send without a person (docs/contract/policies.md). */
import { describe, expect, it } from 'vitest';
import { accountWithSandbox, connectSandbox, storeBluesky } from '../../harness/connections.ts';
import { sandboxOf } from '../../harness/posts.ts';
import { startWorld } from '../../harness/world.ts';

// The clock is at noon on a Saturday.
const world = await startWorld();
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const iso = (ms: number) => new Date(world.clock.now().getTime() + ms).toISOString();

/** An account with a sandbox, the key of its owner, and the key of an agent. */
async function tenant(rules?: object) {
  const { key, connection, id } = await accountWithSandbox(world);
  const agent = await world.key({ accountId: id });
  const set = (fields: object, policyId = agent.id, by = key) =>
    world.rest(`PUT /policies/${policyId}`, { key: by, body: fields });
  if (rules !== undefined) await set(rules);
  const request = async (fields: object = {}, by = agent.secret) =>
    (await world.rest('POST /posts', { key: by, body: { text: 'Ding', connectionSlugs: ['sandbox'], ...fields } })).body
      .results;
  const post = async (fields: object = {}, by = agent.secret) => (await request(fields, by))[0];
  return {
    accountId: id,
    key,
    agent,
    connection,
    set,
    request,
    post,
    /** A post at a time, and whether it was accepted. */
    at: async (ms: number, by = agent.secret) => (await post({ scheduledFor: iso(ms) }, by)).status,
    validate: async (fields: object = {}, by = agent.secret) =>
      (
        await world.rest('POST /posts/validate', {
          key: by,
          body: { text: 'Ding', connectionSlugs: ['sandbox'], ...fields },
        })
      ).body.results[0],
    published: async () => (await sandboxOf(world, connection.id)).length,
  };
}

const refused = (message: string) => ({
  status: 'failed',
  postId: null,
  error: { code: 'policy_refused', message },
});

describe('the policy of a key', () => {
  it('is set, read, replaced and removed whole', async () => {
    const { key, agent, set, post } = await tenant();
    const rules = {
      connectionIds: null,
      platforms: ['sandbox', 'bluesky'],
      postsPerHour: 2,
      postsPerDay: 10,
      quietHours: { from: '22:00', to: '07:00', timezone: 'Europe/Lisbon' },
      spendCentsPerMonth: 500,
      approvalAlways: false,
      approvalWords: ['refund'],
      approvalLinks: true,
      linkHosts: ['example.com'],
    };

    const { status, body } = await set(rules);
    await post();

    const policy = {
      policyId: agent.id,
      kind: 'key',
      name: expect.any(String),
      rules,
      disconnected: [],
      postsLastHour: 0,
      postsLastDay: 0,
      changedAt: iso(0),
      changedBy: { kind: 'key', id: expect.any(String), name: 'A key' },
    };
    expect([status, body]).toEqual([200, { policy }]);
    const read = () => world.rest(`GET /policies/${agent.id}`, { key });
    expect((await read()).body.policy).toEqual({ ...policy, postsLastHour: 1, postsLastDay: 1 });
    const own = await world.rest('GET /policies', { key: agent.secret });
    expect(own.body.policies.map((one: { policyId: string }) => one.policyId)).toEqual([agent.id]);
    await set({ postsPerDay: 3 });
    expect((await read()).body.policy.rules).toEqual({
      ...rules,
      platforms: null,
      postsPerHour: null,
      postsPerDay: 3,
      quietHours: null,
      spendCentsPerMonth: null,
      approvalWords: [],
      approvalLinks: false,
      linkHosts: [],
    });
    const removed = await world.rest(`DELETE /policies/${agent.id}`, { key });
    expect(removed.body).toEqual({ policyId: agent.id, removed: true });
    expect((await read()).status).toBe(404);
    expect((await world.rest('GET /account', { key: agent.secret })).status).toBe(200);
    await set(rules);
    await world.rest(`DELETE /keys/${agent.id}`, { key });
    expect([(await read()).status, (await set(rules)).status]).toEqual([404, 404]);
  });

  it('binds every key that it has created and creates, which count together', async () => {
    const { key, agent, set, at, accountId } = await tenant();
    const { id: profileId } = await world.profile('Customer', accountId);
    const mint = async () =>
      (
        await world.rest(`POST /profiles/${profileId}/keys`, {
          key: agent.secret,
          body: { name: 'Child', type: 'live' },
        })
      ).body;
    const before = await mint();
    await connectSandbox(world, { key, profileId });

    await set({ postsPerDay: 3 });
    const after = await mint();

    expect([after.key.policyId, after.key.approval]).toEqual([agent.id, 'none']);
    const outcomes = [];
    for (const by of [agent.secret, before.secret, after.secret, agent.secret, before.secret]) {
      outcomes.push(await at(HOUR, by));
    }
    expect(outcomes).toEqual(['scheduled', 'scheduled', 'scheduled', 'failed', 'failed']);
    await world.rest(`DELETE /policies/${agent.id}`, { key });
    expect([await at(HOUR), await at(HOUR, before.secret), await at(HOUR, after.secret)]).toEqual([
      'scheduled',
      'scheduled',
      'scheduled',
    ]);
  });

  it('is decided by owners and keys without limits, not by the key itself, one of a profile, or another account', async () => {
    const { accountId, agent, set } = await tenant({ postsPerDay: 1 });
    const other = await tenant();
    const { id: profileId } = await world.profile('Customer', accountId);
    const scoped = await world.key({ accountId, profileId });

    const answers = [
      await set({}, agent.id, agent.secret),
      await set({}, agent.id, scoped.secret),
      await set({}, agent.id, other.key),
      await world.rest(`DELETE /policies/${agent.id}`, { key: agent.secret }),
      await world.rest(`DELETE /policies/${agent.id}`, { key: other.key }),
      await world.rest(`GET /policies/${agent.id}`, { key: other.key }),
      await world.rest(`POST /policies/${agent.id}/try`, { key: other.key, body: {} }),
      await world.rest('POST /stops', { key: agent.secret, body: {} }),
    ];

    expect(answers.map(({ status }) => status)).toEqual([403, 403, 404, 403, 404, 404, 404, 403]);
  });

  it('400: names what is wrong with a rule', async () => {
    const { set } = await tenant();
    const stranger = '01890000-0000-7000-8000-000000000000';
    const wrong = [
      { postsPerHour: 0 },
      { quietHours: { from: '22:00', to: '22:00', timezone: 'UTC' } },
      { quietHours: { from: '22:00', to: '7:00', timezone: 'UTC' } },
      { quietHours: { from: '22:00', to: '07:00', timezone: 'Mars/Olympus' } },
      { connectionIds: [stranger] },
      { linkHosts: ['https://example.com'] },
      { postPerHour: 1 },
    ];

    const answers = await Promise.all(wrong.map((rules) => set(rules)));

    expect(answers.map(({ status, body }) => [status, body.message])).toEqual([
      [400, expect.stringContaining('postsPerHour')],
      [400, expect.stringContaining('quietHours.to')],
      [400, expect.stringContaining('quietHours.to')],
      [400, 'quietHours.timezone: "Mars/Olympus" is not an IANA time zone such as Europe/Paris.'],
      [400, `connectionIds: no connection of yours has the id ${stranger}.`],
      [400, expect.stringContaining('linkHosts.0')],
      [400, expect.stringContaining('postPerHour')],
    ]);
  });
});

describe('connections and platforms', () => {
  it('refuses the others, and posts to those that are allowed', async () => {
    const { connection, key, set, request, published } = await tenant();
    await connectSandbox(world, { key, slug: 'second' });
    await set({ connectionIds: [connection.id] });

    const results = await request({ connectionSlugs: ['sandbox', 'second'] });

    expect(results).toMatchObject([
      { connectionSlug: 'sandbox', status: 'sent' },
      refused('Policy of this key, connectionIds: It does not allow the connection "second".'),
    ]);
    expect(await published()).toBe(1);
    await set({ platforms: ['bluesky', 'x'] });
    expect((await request())[0]).toMatchObject(
      refused('Policy of this key, platforms: It allows bluesky, x, and not sandbox.'),
    );
  });
});

describe('posts in an hour and a day', () => {
  it('allows so many in any 60 minutes, and says from when there is room', async () => {
    const { post, published } = await tenant({ postsPerHour: 2 });
    await post();
    world.clock.advance(20 * MINUTE);
    await post();

    const result = await post();

    expect(result).toMatchObject(
      refused(
        `Policy of this key, postsPerHour: It allows 2 posts in any 60 minutes, and no more at ${iso(0)}. Try again from ${iso(40 * MINUTE)}.`,
      ),
    );
    world.clock.advance(40 * MINUTE - 1);
    expect((await post()).status).toBe('failed');
    world.clock.advance(1);
    expect((await post()).status).toBe('sent');
    expect(await published()).toBe(3);
  });

  it('counts scheduled posts at their times, in every window that a new one would fall into', async () => {
    const { at } = await tenant({ postsPerHour: 2 });

    const outcomes = [
      await at(60 * MINUTE),
      await at(100 * MINUTE),
      await at(90 * MINUTE),
      await at(41 * MINUTE),
      await at(40 * MINUTE),
      await at(161 * MINUTE),
      await at(110 * MINUTE),
    ];

    expect(outcomes).toEqual(['scheduled', 'scheduled', 'failed', 'failed', 'scheduled', 'scheduled', 'failed']);
  });

  it('gives the last place once when several requests ask at the same moment', async () => {
    const { post, published } = await tenant({ postsPerDay: 3 });

    const results = await Promise.all(Array.from({ length: 8 }, () => post()));

    expect(results.filter(({ status }) => status === 'sent')).toHaveLength(3);
    expect(results.filter(({ error }) => error?.code === 'policy_refused')).toHaveLength(5);
    expect(await published()).toBe(3);
  });

  it('counts a draft that was published now and may be out, on the day on which it was published', async () => {
    const { agent, post } = await tenant({ postsPerDay: 1 });
    const { postId } = await post({ text: 'Ding [[vanish]]', isDraft: true });
    await world.advance(72 * HOUR);

    const published = await world.rest(`POST /posts/${postId}/publish`, { key: agent.secret, body: {} });

    expect(JSON.stringify(published.body)).toContain('outcome_unknown');
    expect(await post()).toMatchObject({ status: 'failed', error: { code: 'policy_refused' } });
  });

  it('counts each connection of a request, and no post that was cancelled or failed', async () => {
    const { key, request, post, at, agent } = await tenant({ postsPerDay: 2 });
    await connectSandbox(world, { key, slug: 'second' });
    await connectSandbox(world, { key, slug: 'third' });

    const results = await request({ connectionSlugs: ['sandbox', 'second', 'third'], scheduledFor: iso(HOUR) });

    expect(results.map(({ status }: { status: string }) => status)).toEqual(['scheduled', 'scheduled', 'failed']);
    await world.rest(`DELETE /posts/${results[0].postId}`, { key: agent.secret });
    expect([await at(HOUR), await at(HOUR)]).toEqual(['scheduled', 'failed']);
    expect((await post({}, key)).status).toBe('sent');
  });

  it('takes the first slot of a queue that the policy allows', async () => {
    const { key, connection, set, post } = await tenant();
    const wanted = [60, 90, 130].map((minutes) => iso(minutes * MINUTE));
    const slots = wanted.map((at) => ({ weekday: new Date(at).getUTCDay(), time: at.slice(11, 16) }));
    await world.rest(`PATCH /connections/${connection.id}/queue`, { key, body: { slots, timezone: 'UTC' } });
    await set({ postsPerHour: 1 });

    const first = await post({ queue: true });
    const second = await post({ queue: true });

    const taken = [first, second].map(({ scheduledFor }) => scheduledFor.slice(0, 16));
    expect(taken).toEqual([wanted[0], wanted[2]].map((at) => at?.slice(0, 16)));
    await set({ quietHours: { from: '08:00', to: '07:59', timezone: 'UTC' } });
    expect((await post({ queue: true })).error).toMatchObject({ code: 'policy_refused' });
  });

  it('does not count a post of others that the policy kept from being moved', async () => {
    const { key, agent, set, post, at } = await tenant({ platforms: ['bluesky'] });
    const { postId } = await post({ scheduledFor: iso(HOUR) }, key);

    const { body } = await world.rest(`POST /posts/${postId}/reschedule`, {
      key: agent.secret,
      body: { scheduledFor: iso(2 * HOUR) },
    });

    expect([body.result.status, body.result.error.code]).toEqual(['scheduled', 'policy_refused']);
    await set({ postsPerHour: 1 });
    expect([await at(HOUR), await at(HOUR)]).toEqual(['scheduled', 'failed']);
  });
});

describe('quiet hours', () => {
  it('refuse what would go out between their wall times, over midnight and clock changes', async () => {
    const { set, post } = await tenant();
    await set({ quietHours: { from: '22:00', to: '07:00', timezone: 'Europe/Lisbon' } });
    const tomorrow = iso(24 * HOUR).slice(0, 10);

    const at = async (time: string) => {
      const { status, error } = await post({ scheduledFor: `${tomorrow}T${time}`, timezone: 'Europe/Lisbon' });
      return error === null ? status : error.message.split('. ').at(-1);
    };

    expect([await at('21:59:59'), await at('06:59:59'), await at('07:00:00')]).toEqual([
      'scheduled',
      `Try again from ${new Date(`${tomorrow}T07:00:00Z`).toISOString()}.`,
      'scheduled',
    ]);
    const late = await post({ scheduledFor: `${tomorrow}T23:30:00`, timezone: 'Europe/Lisbon' });
    const end = new Date(Date.parse(`${tomorrow}T07:00:00Z`) + 24 * HOUR).toISOString();
    expect(late).toMatchObject(
      refused(
        `Policy of this key, quietHours: Nothing goes out from 22:00 to 07:00 (Europe/Lisbon), and this post would at ${tomorrow}T23:30:00.000Z. Try again from ${end}.`,
      ),
    );
  });

  it('apply to publishing, sending again and moving, which change nothing then', async () => {
    const { agent, set, post, key } = await tenant();
    const draft = await post({ isDraft: true });
    const waiting = await post({ scheduledFor: iso(2 * HOUR) });
    const failed = await post({ text: 'Ding [[unavailable]]' });
    await set({ quietHours: { from: '00:00', to: '23:59', timezone: 'UTC' } });
    const call = (path: string, body: object = {}) => world.rest(`POST /posts/${path}`, { key: agent.secret, body });

    const published = await call(`${draft.postId}/publish`);
    const moved = await call(`${waiting.postId}/reschedule`, { scheduledFor: iso(3 * HOUR) });
    const again = await call(`${failed.postId}/retry`);

    expect([published, moved, again].map(({ body }) => [body.result.status, body.result.error.code])).toEqual([
      ['draft', 'policy_refused'],
      ['scheduled', 'policy_refused'],
      ['failed', 'policy_refused'],
    ]);
    const read = await world.rest(`GET /posts/${waiting.postId}`, { key });
    expect(read.body.post.scheduledFor).toBe(waiting.scheduledFor);
  });
});

describe('words and links', () => {
  it.each([
    ['a word', 'Get your REFUND now', '"refund"'],
    ['a word with an invisible character', 'Get your re\u200bfund now', '"refund"'],
    ['a word in other letters of the same look', 'Get your ｒｅｆｕｎｄ now', '"refund"'],
    ['a word with an underscore', 'Get your refund_now', '"refund"'],
    ['a word of a script without spaces', '全額返金します', '"返金"'],
    ['a link', 'See https://evil.example/x', '"https://evil.example/x"'],
    ['a link behind a dash', 'See -http://localhost', '"http://localhost"'],
    ['a bare link', 'See evil.com now', '"evil.com"'],
    ['a link whose host only ends alike', 'See https://notexample.com', '"https://notexample.com"'],
    ['a link that hides its host', 'See https://example.com@evil.com/', '"https://example.com@evil.com/"'],
  ])('%s waits for a person, who sees why', async (_name, text, found) => {
    const { key, post, published } = await tenant({
      approvalWords: ['refund', '返金'],
      approvalLinks: true,
      linkHosts: ['example.com'],
    });

    const result = await post({ text });

    expect(result).toMatchObject({ status: 'draft', error: null, approval: { state: 'pending' } });
    expect(result.approval.reason).toContain(found);
    expect(await published()).toBe(0);
    await world.rest(`POST /posts/${result.postId}/approve`, { key, body: {} });
    expect(await published()).toBe(1);
  });

  it.each(['Refunds are not refundable', 'See https://example.com/a and www.example.com', 'Ding'])(
    'sends "%s" without a person',
    async (text) => {
      const { post } = await tenant({ approvalWords: ['refund'], approvalLinks: true, linkHosts: ['example.com'] });

      expect((await post({ text })).status).toBe('sent');
    },
  );

  it('looks at replies, first comments and alt texts, and at a draft when it is published', async () => {
    const { agent, post } = await tenant({ approvalWords: ['refund'] });

    const thread = await post({ thread: ['A refund'] });
    const draft = await post({ text: 'A refund', isDraft: true });
    const published = await world.rest(`POST /posts/${draft.postId}/publish`, { key: agent.secret, body: {} });

    expect([thread.status, thread.approval.state]).toEqual(['draft', 'pending']);
    expect([draft.approval, published.body.result.approval.state]).toEqual([undefined, 'pending']);
  });

  it('are not sent within an allowance, which is enough where the policy asks about every post', async () => {
    const { key, agent, set, post } = await tenant({ approvalAlways: true });
    const first = await post();
    await world.rest(`POST /posts/${first.postId}/approve`, { key, body: { next: { posts: 5 } } });

    const allowed = await post();
    await set({ approvalAlways: true, approvalWords: ['refund'] });
    const asked = await post({ text: 'A refund' });

    expect([first.status, allowed.status, asked.status]).toEqual(['draft', 'sent', 'draft']);
    expect(agent.id).toBeDefined();
  });
});

describe('a dry run', () => {
  it('says which rule would stop a post, and from when it is allowed', async () => {
    const { validate, post } = await tenant({ postsPerHour: 1, approvalWords: ['refund'] });
    await post();

    const late = await validate();
    const asks = await validate({ text: 'A refund' });

    expect([late.ok, late.error.code, late.rules]).toEqual([
      false,
      'policy_refused',
      [
        {
          rule: 'postsPerHour',
          effect: 'refused',
          message: expect.stringContaining('It allows 1 post in any 60 minutes'),
          retryAt: iso(HOUR),
        },
      ],
    ]);
    expect([asks.ok, asks.error, asks.rules]).toEqual([
      true,
      null,
      [
        {
          rule: 'approvalWords',
          effect: 'approval',
          message: 'Policy of this key, approvalWords: It asks a person about the word "refund".',
          retryAt: null,
        },
      ],
    ]);
    expect((await validate({ isDraft: true })).rules).toEqual([]);
  });

  it('cuts a long link between two characters', async () => {
    const { validate } = await tenant({ approvalLinks: true });
    const start = `https://example.com/${'x'.repeat(39)}🔔`;

    const { rules } = await validate({ text: `See ${start}${'y'.repeat(9)}` });

    const message = expect.stringContaining(`It asks a person about the links "${start}", `);
    expect(rules).toEqual([{ rule: 'approvalLinks', effect: 'approval', message, retryAt: null }]);
  });

  it('of a request that waits because of one of its posts checks no time and no queue for the others', async () => {
    const { accountId, agent, request, post } = await tenant({ postsPerHour: 1, approvalWords: ['refund'] });
    const { slug } = await storeBluesky(world, accountId);
    await post();
    const body = {
      text: 'Ding',
      connectionSlugs: ['sandbox', slug],
      textByPlatform: { bluesky: 'A refund' },
      queue: true,
    };

    const { results } = (await world.rest('POST /posts/validate', { key: agent.secret, body })).body;
    const sent = await request(body);

    const asks = {
      rule: 'approvalWords',
      effect: 'approval',
      message: 'Policy of this key, approvalWords: It asks a person about the word "refund".',
      retryAt: null,
    };
    const preview = (connectionSlug: string, text: string, maxLength: number) => {
      const part = { length: text.length, maxLength };
      return { connectionSlug, ok: true, error: null, text, ...part, parts: [part], images: [], scheduledFor: null };
    };
    expect(results).toEqual([
      { ...preview('sandbox', 'Ding', 500), rules: [] },
      { ...preview(slug, 'A refund', 300), rules: [asks] },
    ]);
    expect(sent).toMatchObject([
      { status: 'draft', error: null, approval: { state: 'pending' } },
      { status: 'draft', error: null, approval: { state: 'pending' } },
    ]);
  });

  it('shows what other rules would have done to the recent posts, and changes nothing', async () => {
    const { key, agent, post } = await tenant();
    const sent = [];
    for (const text of ['One', 'A refund', 'Three']) {
      sent.push(await post({ text }));
      world.clock.advance(MINUTE);
    }

    const { status, body } = await world.rest(`POST /policies/${agent.id}/try`, {
      key,
      body: { postsPerHour: 2, approvalWords: ['refund'] },
    });

    expect(status).toBe(200);
    expect(body).toEqual({
      posts: 3,
      stopped: [
        {
          postId: sent[1].postId,
          connectionSlug: 'sandbox',
          at: iso(-2 * MINUTE),
          text: 'A refund',
          rules: [
            {
              rule: 'approvalWords',
              effect: 'approval',
              message: 'It asks a person about the word "refund".',
              retryAt: null,
            },
          ],
        },
        expect.objectContaining({
          postId: sent[2].postId,
          rules: [expect.objectContaining({ rule: 'postsPerHour', effect: 'refused' })],
        }),
      ],
    });
    expect((await world.rest(`GET /policies/${agent.id}`, { key })).status).toBe(404);
  });
});
