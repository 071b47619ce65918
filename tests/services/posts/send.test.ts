/** Sending: every scripted outcome of the sandbox, in the response, the ledger and the events. */
import { describe, expect, it } from 'vitest';
import { makeAccount } from '../../harness/accounts.ts';
import { accountWithSandbox, connectSandbox } from '../../harness/connections.ts';
import { UUID } from '../../harness/expected.ts';
import { eventsAbout, makePost, sandboxOf, type TestResult } from '../../harness/posts.ts';
import { PUBLIC_URL, startWorld } from '../../harness/world.ts';

const world = await startWorld();

/** Sends a text to a new sandbox. Returns everything that is stored about it afterwards. */
async function send(text: string) {
  const { id: accountId, key, connection } = await accountWithSandbox(world);
  const waitsBefore = world.clock.waits.length;
  const result = await makePost(world, 'sandbox', { key, text });
  const waits = world.clock.waits.slice(waitsBefore);
  const { body } = await world.rest(`GET /posts/${result.postId}`, { key });
  const ledger = await world.rest(`GET /posts/${result.postId}/attempts`, { key });
  const [onSandbox, events] = [await sandboxOf(world, connection.id), await eventsAbout(world, result.postId)];
  const { attempts } = ledger.body;
  return { accountId, connectionId: connection.id, result, waits, post: body.post, attempts, onSandbox, events };
}

/** The event of a post that a new account has just created, with these additional facts. */
function eventOf(
  accountId: string,
  result: TestResult,
  text: string,
  facts: object,
  at = world.clock.now().toISOString(),
) {
  const status = result.status;
  return {
    id: UUID,
    account_id: accountId,
    profile_id: null,
    name: `post.${status}`,
    mode: 'live',
    payload: {
      post: {
        id: result.postId,
        connectionSlug: 'sandbox',
        text,
        status,
        url: null,
        scheduledFor: null,
        createdAt: at,
        mediaCount: 0,
        threadCount: 0,
        hasFirstComment: false,
        error: null,
        tags: [],
        profileId: null,
        ...facts,
      },
    },
    created_at: at,
  };
}

describe('a post that the platform accepts', () => {
  it.each([
    ['at once', 'Hello', []],
    ['after three seconds', 'Hello [[slow 3000]]', [3000]],
    ['and whose answer is lost: it is read back, not sent again', 'Hello [[lost]]', []],
  ])('%s is sent', async (_case, text, waited) => {
    const { accountId, result, waits, post, attempts, onSandbox, events } = await send(text);

    expect(onSandbox).toEqual([{ id: UUID, account_id: UUID, text, calls: 1, is_up: true }]);
    const [row] = onSandbox;
    const url = `${PUBLIC_URL}/sandbox/${row?.account_id}/${row?.id}`;
    const at = world.clock.now().toISOString();
    expect(result).toMatchObject({ status: 'sent', url, error: null });
    expect(waits).toEqual(waited);
    expect(post).toMatchObject({ status: 'sent', url, platformPostId: row?.id, error: null });
    expect(attempts).toEqual([
      {
        id: UUID,
        step: 'head',
        index: 0,
        state: 'accepted',
        startedAt: at,
        settledAt: at,
        platformPostId: row?.id,
        error: null,
      },
    ]);
    expect(events).toEqual([eventOf(accountId, result, text, { url })]);
  });
});

describe('a post that the platform does not accept', () => {
  it.each([
    ['[[reject]]', 'platform_rejected', 'rejected', 'The sandbox refused the post, as [[reject]] in its text asks.'],
    [
      '[[unavailable]]',
      'platform_unavailable',
      'unavailable',
      'The sandbox is unavailable, as [[unavailable]] in the text asks; nothing was posted.',
    ],
    [
      '[[reconnect]]',
      'reconnect_required',
      'rejected',
      'The sandbox no longer accepts this credential, as [[reconnect]] in the text asks.',
    ],
  ])('%s is failed with %s, and nothing is published', async (text, code, state, message) => {
    const { accountId, result, post, attempts, onSandbox, events } = await send(text);

    const error = { code, message };
    const at = world.clock.now().toISOString();
    expect(result).toMatchObject({ status: 'failed', url: null, error });
    expect(post).toMatchObject({ status: 'failed', url: null, platformPostId: null, error });
    expect(attempts).toEqual([
      { id: UUID, step: 'head', index: 0, state, startedAt: at, settledAt: at, platformPostId: null, error },
    ]);
    expect(onSandbox).toEqual([]);
    expect(events).toEqual([eventOf(accountId, result, text, { error })]);
  });

  it('[[vanish]] is failed with outcome_unknown, is published once, and is not sent again', async () => {
    const at = world.clock.now().toISOString();
    const { accountId, connectionId, result, post, attempts, events } = await send('[[vanish]]');
    await world.advance(120_000);

    const error = {
      code: 'outcome_unknown',
      message:
        'The send was interrupted and it is not known whether the post went out: look on the platform before sending it again. The sandbox dropped its answer, as the text asks.',
    };
    expect(result).toMatchObject({ status: 'failed', url: null, error });
    expect(post).toMatchObject({ status: 'failed', platformPostId: null, error });
    expect(attempts).toMatchObject([{ step: 'head', state: 'unknown', error }]);
    expect(await sandboxOf(world, connectionId)).toEqual([
      { id: UUID, account_id: UUID, text: '[[vanish]]', calls: 1, is_up: true },
    ]);
    expect(events).toEqual([eventOf(accountId, result, '[[vanish]]', { error }, at)]);
  });
});

describe('several directives', () => {
  it('give a rejection precedence over a lost answer', async () => {
    const { result, onSandbox } = await send('[[lost]] [[reject]]');

    expect(result).toMatchObject({ status: 'failed', error: { code: 'platform_rejected' } });
    expect(onSandbox).toEqual([]);
  });

  it('wait first', async () => {
    const { result, waits } = await send('[[slow 250]] [[unavailable]]');

    expect(result).toMatchObject({ status: 'failed', error: { code: 'platform_unavailable' } });
    expect(waits).toEqual([250]);
  });

  it.each(['[[Reject]]', '[reject]', '[[ reject ]]', '[[slow]]', '[[slow -1]]'])(
    'must be spelled exactly: %s is a text',
    async (text) => {
      const { result, waits } = await send(text);

      expect(result).toMatchObject({ status: 'sent' });
      expect(waits).toEqual([]);
    },
  );
});

describe('a scheduled post', () => {
  it('has its creation time, scheduled time, profile and mode in its event', async () => {
    const { id: accountId, key } = await makeAccount(world);
    const profile = await world.profile('Acme', accountId);
    await connectSandbox(world, { key, slug: 'acme', profileId: profile.id });
    const testKey = await world.key({ accountId, type: 'test', profileId: profile.id });
    const createdAt = world.clock.now();
    const scheduledFor = new Date(createdAt.getTime() + 60_000).toISOString();
    const { postId } = await makePost(world, 'acme', { key: testKey.secret, text: 'Later', scheduledFor });

    await world.advance(60_000);

    expect(await eventsAbout(world, postId)).toEqual([
      {
        id: UUID,
        account_id: accountId,
        profile_id: profile.id,
        name: 'post.sent',
        mode: 'test',
        payload: {
          post: {
            id: postId,
            connectionSlug: 'acme',
            text: 'Later',
            status: 'sent',
            url: expect.stringMatching(/^http:\/\/localhost:3000\/sandbox\//),
            scheduledFor,
            createdAt: createdAt.toISOString(),
            mediaCount: 0,
            threadCount: 0,
            hasFirstComment: false,
            error: null,
            tags: [],
            profileId: profile.id,
          },
        },
        created_at: scheduledFor,
      },
    ]);
  });

  it('that is refused keeps its time, and is not retried', async () => {
    const { key } = await accountWithSandbox(world);
    const scheduledFor = new Date(world.clock.now().getTime() + 60_000).toISOString();
    const { postId } = await makePost(world, 'sandbox', { key, text: '[[reject]]', scheduledFor });
    await world.advance(60_000);

    await world.advance(3_600_000);

    const { body } = await world.rest(`GET /posts/${postId}`, { key });
    expect(body.post).toMatchObject({ status: 'failed', scheduledFor, error: { code: 'platform_rejected' } });
    const ledger = await world.rest(`GET /posts/${postId}/attempts`, { key });
    expect(ledger.body.attempts).toHaveLength(1);
  });
});

describe('a delete', () => {
  it('[[refuse-delete]] leaves the post published, and a repeat calls the platform again', async () => {
    const { key, connection } = await accountWithSandbox(world);
    const { postId } = await makePost(world, 'sandbox', { key, text: '[[refuse-delete]]' });

    const answers = [
      await world.rest(`DELETE /posts/${postId}`, { key }),
      await world.rest(`DELETE /posts/${postId}`, { key }),
    ];

    expect(answers.map(({ status, body }) => [status, body.error])).toEqual([
      [422, 'platform_rejected'],
      [422, 'platform_rejected'],
    ]);
    expect(await sandboxOf(world, connection.id)).toMatchObject([{ is_up: true }]);
    const { body } = await world.rest(`GET /posts/${postId}/attempts`, { key });
    expect(body.attempts.map(({ step, state }: { step: string; state: string }) => [step, state])).toEqual([
      ['head', 'accepted'],
      ['delete', 'rejected'],
      ['delete', 'rejected'],
    ]);
  });
});
