/**
 * A thread interrupted by an outage: a failed thread has no known published part, and parts that cannot be deleted
 * count as sent (docs/contract/threads.md#threads-cut-off-by-an-outage).
 */
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { nextDueAt } from '../../../services/sending/claim-due-sends.ts';
import { eventsAbout } from '../../harness/posts.ts';
import { START } from '../../harness/test-clock.ts';
import { startWorld } from '../../harness/world.ts';
import { startFakeBluesky } from '../../platforms/fakes/fake-bluesky.ts';
import { startFakeMastodon } from '../../platforms/fakes/fake-mastodon.ts';
import { startFakeTelegram } from '../../platforms/fakes/fake-telegram.ts';
import { startFakeX } from '../../platforms/fakes/fake-x.ts';

const TOKEN = '123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11';
const OUTAGE = { status: 503, text: '<html>503</html>' };

const now = () => START;
const bluesky = await startFakeBluesky({ now });
const mastodon = await startFakeMastodon({ now });
const telegram = await startFakeTelegram({ now });
const x = await startFakeX({ now });
const world = await startWorld({
  env: { BLUESKY_SERVICE_URL: bluesky.url, TELEGRAM_API_URL: telegram.url, X_API_URL: x.url },
});
afterAll(() => Promise.all([bluesky, mastodon, telegram, x].map((server) => server.close())));

bluesky.addAccount('alice.test', 'abcd-efgh-ijkl-mnop');
mastodon.addAccount('alice', 'token-of-alice');
telegram.bots.set(TOKEN, { id: 123456, username: 'bells_bot' });
telegram.addChat({ id: -1001234567890, type: 'channel', title: 'The Bells', username: 'thebells' });
x.addAccount('alice', 'token-of-alice');

const CREDENTIALS = {
  bluesky: { identifier: 'alice.test', appPassword: 'abcd-efgh-ijkl-mnop' },
  mastodon: { instanceUrl: mastodon.url, accessToken: 'token-of-alice' },
  telegram: { botToken: TOKEN, chatId: '@thebells' },
  x: { accessToken: 'token-of-alice' },
};
for (const [platformId, credentials] of Object.entries(CREDENTIALS)) {
  await world.rest('POST /connections', { body: { platformId, slug: platformId, credentials } });
}

afterEach(() => {
  for (const { faults } of [bluesky, mastodon, telegram, x]) faults.length = 0;
  for (const { answers } of [mastodon, x]) for (const route of Object.keys(answers)) delete answers[route];
});

async function post(slug: string, name: string, fields: object = {}) {
  const thread = [`${name} one`, `${name} two`, `${name} three`];
  const body = { text: `${name} head`, thread, connectionSlugs: [slug], ...fields };
  return (await world.rest('POST /posts', { body })).body.results[0];
}

async function ledger(postId: string): Promise<string[]> {
  const { body } = await world.rest(`GET /posts/${postId}/attempts`);
  return body.attempts.map(
    ({ step, index, state }: { step: string; index: number; state: string }) => `${step} ${index} ${state}`,
  );
}

const read = async (postId: string) => (await world.rest(`GET /posts/${postId}`)).body.post;
const textsOf = (server: { posts(): { text: string }[] }, name: string) =>
  server
    .posts()
    .map(({ text }) => text)
    .filter((text) => text.startsWith(name));
const telegramTexts = (name: string) => textsOf({ posts: () => telegram.messages() }, name);

/**
 * Loses the answer to the second reply after this many successful calls, and the platform cannot be searched for it.
 */
function loseSecondReply(server: 'mastodon' | 'telegram' | 'x', arrives: boolean): void {
  const fault = arrives ? 'drops_after' : 'drops_before';
  ({ mastodon, telegram, x })[server].faults.push(...([undefined, undefined, fault] as never[]));
  mastodon.answers['GET /api/v1/accounts/:id/statuses'] = [OUTAGE, OUTAGE];
  x.answers['GET /2/users/:id/tweets'] = [OUTAGE, OUTAGE];
}

const maybeUp = (name: string) => ({
  code: 'outcome_unknown',
  message: `Reply 2 of 3 ("${name} two") may be up: its answer was lost, and the platform cannot say. The other parts were deleted. Look for this reply on the platform before sending the post again.`,
});

const TAKEN_DOWN = ['head 0 accepted', 'reply 0 accepted', 'reply 1 unknown', 'delete 1 accepted', 'delete 0 accepted'];

describe('a thread with one reply that may be published', () => {
  it.each(['mastodon', 'telegram', 'x'] as const)(
    'has its known parts deleted on %s, newest first, and fails with the number of the reply',
    async (platform) => {
      const name = `maybe ${platform}`;
      loseSecondReply(platform, true);

      const result = await post(platform, name);

      const error = maybeUp(name);
      expect(result).toMatchObject({ status: 'failed', url: null, threadCount: 0, error });
      const up = platform === 'telegram' ? telegramTexts(name) : textsOf({ mastodon, x }[platform], name);
      expect(up).toEqual([`${name} two`]);
      expect(await ledger(result.postId)).toEqual(TAKEN_DOWN);
      expect(await read(result.postId)).toMatchObject({ status: 'failed', platformPostId: null, error });
      const [event, ...others] = await eventsAbout(world, result.postId);
      expect([event?.name, others]).toEqual(['post.failed', []]);
    },
  );

  it('fails with platform_unavailable when the platform reports that the reply does not exist', async () => {
    x.faults.push(...([undefined, undefined, 'drops_before'] as never[]));

    const result = await post('x', 'ruled out');

    expect(result).toMatchObject({ status: 'failed', threadCount: 0, error: { code: 'platform_unavailable' } });
    expect(textsOf(x, 'ruled out')).toEqual([]);
    expect((await ledger(result.postId)).slice(2)).toEqual([
      'reply 1 unavailable',
      'delete 1 accepted',
      'delete 0 accepted',
    ]);
  });

  it('is sent with the published count when a delete is refused', async () => {
    loseSecondReply('x', false);
    x.answers['DELETE /2/tweets/:id'] = [{ status: 403, json: { title: 'Forbidden', status: 403, detail: 'No.' } }];

    const result = await post('x', 'refused');

    expect(result).toMatchObject({ status: 'sent', threadCount: 1, hasFirstComment: false, error: null });
    expect(textsOf(x, 'refused')).toEqual(['refused head', 'refused one']);
    expect(await ledger(result.postId)).toEqual([
      'head 0 accepted',
      'reply 0 accepted',
      'reply 1 unknown',
      'delete 1 rejected',
    ]);
    expect((await eventsAbout(world, result.postId)).map((event) => event.name)).toEqual(['post.sent']);
  });

  it('repeats a delete whose answer was lost', async () => {
    loseSecondReply('mastodon', false);
    mastodon.answers['DELETE /api/v1/statuses/:id'] = [OUTAGE];

    const result = await post('mastodon', 'twice');

    expect(result).toMatchObject({ status: 'failed', error: { code: 'outcome_unknown' } });
    expect(textsOf(mastodon, 'twice')).toEqual([]);
    expect(await ledger(result.postId)).toEqual(TAKEN_DOWN);
  });

  it('stays published on Bluesky, and is sent with the published count', async () => {
    bluesky.faults.push(...([undefined, undefined, 'rate_limited'] as never[]));

    const result = await post('bluesky', 'kept');

    expect(result).toMatchObject({ status: 'sent', threadCount: 1, error: null });
    expect(await ledger(result.postId)).toEqual(['head 0 accepted', 'reply 0 accepted', 'reply 1 unavailable']);
  });
});

/** Resets a post to the state in which its process died, with the first `rows` of its ledger. */
async function cutOff(postId: string, rows: number): Promise<void> {
  await world.sql(
    `delete from attempts where id in (select id from attempts where post_id = $1 order by id offset $2)`,
    [postId, rows],
  );
  await world.sql(
    `update posts set status = 'processing', claim = gen_random_uuid(), claimed_until = $2, error_code = null,
       error_message = null, url = null, platform_post_id = null, sent_at = null, thread_count = 0 where id = $1`,
    [postId, new Date(START.getTime() - 1)],
  );
  await world.sql('delete from events where subject_id = $1', [postId]);
}

describe('a thread whose process died', () => {
  const reopen = (postId: string, step: string, index: number) =>
    world.sql(
      `update attempts set state = 'sending', settled_at = null, error_code = null, error_message = null
       where post_id = $1 and step = $2 and index = $3`,
      [postId, step, index],
    );

  it('between the lost answer and its deletes is deleted by the recovery, and names the reply', async () => {
    loseSecondReply('x', false);
    x.answers['DELETE /2/tweets/:id'] = [{ status: 403, json: { title: 'Forbidden', status: 403, detail: 'No.' } }];
    const { postId } = await post('x', 'recovered');
    await cutOff(postId, 3);

    await world.runDue();

    expect(await read(postId)).toMatchObject({ status: 'failed', error: maybeUp('recovered') });
    expect(textsOf(x, 'recovered')).toEqual([]);
    expect(await ledger(postId)).toEqual(TAKEN_DOWN);
    expect((await eventsAbout(world, postId)).map((event) => event.name)).toEqual(['post.failed']);
  });

  it('during a delete has that delete repeated in the same ledger row', async () => {
    loseSecondReply('telegram', false);
    const { postId } = await post('telegram', 'halfway');
    await cutOff(postId, 4);
    await reopen(postId, 'delete', 1);

    await world.runDue();

    expect(await read(postId)).toMatchObject({ status: 'failed', error: maybeUp('halfway') });
    expect(telegramTexts('halfway')).toEqual([]);
    expect(await ledger(postId)).toEqual(TAKEN_DOWN);
  });

  it('during an open reply that cannot be searched for is deleted', async () => {
    const { postId } = await post('telegram', 'open');
    await cutOff(postId, 3);
    await reopen(postId, 'reply', 1);

    await world.runDue();

    expect(await read(postId)).toMatchObject({ status: 'failed', error: maybeUp('open') });
    expect(telegramTexts('open')).toEqual(['open two', 'open three']);
    expect(await ledger(postId)).toEqual(TAKEN_DOWN);
  });

  it('is sent with the published count on Bluesky', async () => {
    bluesky.faults.push(...([undefined, undefined, 'rate_limited'] as never[]));
    const { postId } = await post('bluesky', 'counted');
    await cutOff(postId, 3);

    await world.runDue();

    expect(await read(postId)).toMatchObject({ status: 'sent', error: null });
    const [event] = await eventsAbout(world, postId);
    expect(event).toMatchObject({ name: 'post.sent', payload: { post: { threadCount: 1 } } });
  });

  it('and whose connection is deleted is sent with its published parts, because nothing can be deleted', async () => {
    const { postId } = await post('mastodon', 'orphan');
    await cutOff(postId, 3);
    await reopen(postId, 'reply', 1);
    const sealed = await world.sql<{ credentials: string }>(
      `select credentials from connections where slug = 'mastodon'`,
    );
    await world.sql(`update connections set credentials = null where slug = 'mastodon'`);

    await world.runDue();
    await world.sql(`update connections set credentials = $1 where slug = 'mastodon'`, [sealed[0]?.credentials]);

    expect(await read(postId)).toMatchObject({ status: 'sent', error: null });
    expect(await ledger(postId)).toEqual(['head 0 accepted', 'reply 0 accepted', 'reply 1 unknown']);
    const [event] = await eventsAbout(world, postId);
    expect(event).toMatchObject({ name: 'post.sent', payload: { post: { threadCount: 1 } } });
  });
});

describe('a thread refused because its access token became invalid', () => {
  const dead = { status: 401, json: { title: 'Unauthorized', status: 401, detail: 'Unauthorized' } };
  const FORGET = `update connections set reconnect_since = null, reconnect_reason = null, reconnect_told_by = null
    where slug = 'x'`;
  const required = async () => {
    const { body } = await world.rest('GET /connections');
    return body.connections.find(({ slug }: { slug: string }) => slug === 'x').reconnectRequired;
  };
  afterEach(() => world.sql(FORGET));

  /** Has X refuse the second reply of the next thread, and looks at the connection before each delete. */
  async function postRefused(name: string): Promise<{ postId: string; seenByDeletes: unknown[] }> {
    const { fetch } = world.context;
    const seenByDeletes: unknown[] = [];
    let made = 0;
    const refusing: typeof fetch = async (url, init) => {
      if (init?.method === 'DELETE') seenByDeletes.push(await required());
      else if (String(url).endsWith('/2/tweets') && (made += 1) === 3) return Response.json(dead.json, { status: 401 });
      return fetch(url, init);
    };
    Object.assign(world.context, { fetch: refusing });
    const { postId } = await post('x', name);
    Object.assign(world.context, { fetch });
    return { postId, seenByDeletes };
  }

  it('reports it before the parts are deleted, so that a process that dies meanwhile does not lose it', async () => {
    const { postId, seenByDeletes } = await postRefused('reported');

    expect(await read(postId)).toMatchObject({ status: 'failed', error: { code: 'reconnect_required' } });
    expect(seenByDeletes).toEqual([expect.anything(), expect.anything()]);
    expect(await required()).not.toBeNull();
  });

  it('does not report the credentials of an account that was connected again before the recovery', async () => {
    const { postId } = await postRefused('connected again');
    await cutOff(postId, 3);
    await world.sql(FORGET);

    await world.runDue();

    expect(await read(postId)).toMatchObject({ status: 'failed', error: { code: 'reconnect_required' } });
    expect(await required()).toBeNull();
  });

  it('stays reported when a recovery finds that a post was sent before', async () => {
    const { postId } = await post('x', 'sent before');
    await cutOff(postId, 4);
    const refused = `update connections set reconnect_since = $1, reconnect_reason = 'refused', reconnect_told_by = 'send'
      where slug = 'x'`;
    await world.sql(refused, [START]);

    await world.runDue();

    expect(await read(postId)).toMatchObject({ status: 'sent' });
    expect(await required()).not.toBeNull();
  });

  it('is sent with the parts that cannot be deleted, and its connection must be connected again', async () => {
    x.answers['DELETE /2/tweets/:id'] = [dead, dead];
    loseSecondReply('x', false);

    const result = await post('x', 'dead login');

    expect(result).toMatchObject({ status: 'sent', threadCount: 1 });
    expect(await required()).not.toBeNull();
  });
});

describe('a scheduled thread that was refused with a time to wait', () => {
  it('is deleted, pauses the connection for that time, and is sent completely afterwards', async () => {
    mastodon.faults.push(...([undefined, 'rate_limited'] as never[]));
    const scheduledFor = new Date(START.getTime() + 60_000).toISOString();
    const { postId } = await post('mastodon', 'later', { scheduledFor });

    await world.advance(60_000);
    expect(textsOf(mastodon, 'later')).toEqual([]);
    expect(await read(postId)).toMatchObject({ status: 'scheduled', error: null });
    expect(await nextDueAt(world.context)).toEqual(new Date(START.getTime() + 120_000));
    await world.advance(60_000);

    expect(await read(postId)).toMatchObject({ status: 'sent' });
    expect(textsOf(mastodon, 'later')).toHaveLength(4);
    world.clock.set(START);
  });
});
