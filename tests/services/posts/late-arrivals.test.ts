/**
 * A call whose answer is lost may arrive after both lookups, and the scheduled post is then repeated
 * (docs/contract/posts.md#repeats-and-late-posts).
 */
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { claimDueSends } from '../../../services/sending/claim-due-sends.ts';
import { makePost } from '../../harness/posts.ts';
import { startWorld } from '../../harness/world.ts';
import { startFakeTwilio, TWILIO } from '../../platforms/fakes/fake-twilio.ts';
import { startFakeThreads } from '../../platforms/fakes/fake-threads.ts';
import { startFakeX } from '../../platforms/fakes/fake-x.ts';
import type { WireAnswer } from '../../platforms/fakes/wire.ts';

const MINUTE_MS = 60_000;
const OUTAGE: WireAnswer = { status: 503, json: {} };

const now = () => world.clock.now();
const [x, twilio, threads] = [
  await startFakeX({ now }),
  await startFakeTwilio({ now }),
  await startFakeThreads({ now }),
];
afterAll(() => Promise.all([x.close(), twilio.close(), threads.close()]));
const world = await startWorld({
  env: {
    X_API_URL: x.url,
    THREADS_API_URL: threads.url,
    TWILIO_API_URL: twilio.url,
    TWILIO_ACCOUNT_SID: TWILIO.accountSid,
    TWILIO_AUTH_TOKEN: TWILIO.authToken,
    TWILIO_FROM: TWILIO.from,
  },
});
x.addAccount('alice', 'token-of-alice');
await world.rest('POST /connections', { body: { platformId: 'x', credentials: { accessToken: 'token-of-alice' } } });
const SMS = { platformId: 'sms', slug: 'sms', credentials: { to: '+15550100123' } };
await world.rest('POST /connections', { body: SMS });
threads.addAccount('24000000000000001', 'thebells', 'token-of-threads');
await world.rest('POST /connections', {
  body: { platformId: 'threads', slug: 'threads', credentials: { accessToken: 'token-of-threads' } },
});
const FAKES = { 'x-alice': x, sms: twilio, threads };

/** A scheduled post whose call is lost before the platform has it, and which waits for its repeat. */
async function lostPost(slug: keyof typeof FAKES, text: string): Promise<string> {
  FAKES[slug].faults.push('drops_before');
  const scheduledFor = new Date(now().getTime() + MINUTE_MS).toISOString();
  const { postId } = await makePost(world, slug, { text, scheduledFor });
  await world.advance(MINUTE_MS);
  expect((await read(postId)).status).toBe('scheduled');
  return postId;
}

const read = async (postId: string) => (await world.rest(`GET /posts/${postId}`)).body.post;
const attemptsOf = async (postId: string): Promise<string[]> =>
  (await world.rest(`GET /posts/${postId}/attempts`)).body.attempts.map(({ state }: { state: string }) => state);
const onX = (text: string) => x.posts().filter((post) => post.text === text);

/** The lost call arrives at X now. */
const arriveAtX = (text: string) =>
  fetch(`${x.url}/2/tweets`, {
    method: 'POST',
    headers: { authorization: 'Bearer token-of-alice', 'content-type': 'application/json' },
    body: JSON.stringify({ text }),
  });

/** Twilio has the lost message now. */
const arriveAtTwilio = (body: string, status: { readonly status?: string; readonly errorMessage?: string } = {}) =>
  twilio.receive({
    to: SMS.credentials.to,
    from: TWILIO.from,
    messagingServiceSid: null,
    body,
    createdAt: now(),
    direction: 'outbound-api',
    ...status,
  });
const onTwilio = (text: string) => twilio.messages().filter(({ body }) => body === text);

it('a post that arrives after both lookups is found before its repeat', async () => {
  const postId = await lostPost('x-alice', 'late');
  await arriveAtX('late');

  await world.advance(MINUTE_MS);

  const { status, platformPostId, error } = await read(postId);
  expect([status, platformPostId, error]).toEqual(['sent', onX('late')[0]?.id, null]);
  expect(await attemptsOf(postId)).toEqual(['unavailable', 'accepted']);
});

it('a message that arrives after both lookups is not sent twice', async () => {
  const postId = await lostPost('sms', 'late');
  arriveAtTwilio('late');

  await world.advance(MINUTE_MS);

  const { status, platformPostId } = await read(postId);
  expect([status, twilio.messages().map(({ sid }) => sid)]).toEqual(['sent', [platformPostId]]);
});

it('a post that arrives after two repeats were refused is found before the third', async () => {
  const text = 'late, after refusals';
  const postId = await lostPost('threads', text);
  threads.faults.push('rate_limited', 'rate_limited');
  await world.advance(MINUTE_MS);
  await world.advance(5 * MINUTE_MS);
  const [first] = threads.containers();
  await fetch(`${threads.url}/v1.0/me/threads_publish`, {
    method: 'POST',
    headers: { authorization: 'Bearer token-of-threads' },
    body: new URLSearchParams({ creation_id: first?.id ?? '' }),
  });

  await world.advance(15 * MINUTE_MS);

  const { status, platformPostId } = await read(postId);
  expect([status, threads.posts().map(({ id }) => id)]).toEqual(['sent', [platformPostId]]);
  expect(await attemptsOf(postId)).toEqual(['unavailable', 'unavailable', 'unavailable', 'accepted']);
});

it('a message is not sent again while Twilio does not say whether it arrived', async () => {
  const text = 'late, unseen';
  const postId = await lostPost('sms', text);
  arriveAtTwilio(text);
  twilio.answers['GET /Messages.json'] = [OUTAGE];

  await world.advance(MINUTE_MS);
  const waiting = await read(postId);
  const { attempts } = (await world.rest(`GET /posts/${postId}/attempts`)).body;
  await world.advance(5 * MINUTE_MS);

  const { status, platformPostId } = await read(postId);
  expect([waiting.status, attempts.at(-1).error]).toEqual([
    'scheduled',
    {
      code: 'platform_unavailable',
      message: 'SMS did not say whether an earlier send of this post arrived, so it was not sent again.',
    },
  ]);
  expect([status, onTwilio(text).map(({ sid }) => sid)]).toEqual(['sent', [platformPostId]]);
  expect(await attemptsOf(postId)).toEqual(['unavailable', 'unavailable', 'accepted']);
});

it('a message whose search is rate-limited is not sent again before the time that Twilio asked for', async () => {
  const postId = await lostPost('sms', 'limited');
  twilio.answers['GET /Messages.json'] = [{ status: 429, json: {}, headers: { 'retry-after': '3600' } }];

  await world.advance(MINUTE_MS);
  const waiting = await read(postId);
  const inAnHour = new Date(now().getTime() + 60 * MINUTE_MS).toISOString();
  await world.advance(59 * MINUTE_MS);
  const sentBefore = onTwilio('limited').length;
  await world.advance(MINUTE_MS);

  expect([waiting.status, waiting.scheduledFor, sentBefore]).toEqual(['scheduled', inAnHour, 0]);
  expect([(await read(postId)).status, onTwilio('limited').length]).toEqual(['sent', 1]);
  expect(await attemptsOf(postId)).toEqual(['unavailable', 'unavailable', 'accepted']);
});

it('posts wait as long as Twilio asked when an interrupted repeat was searched for', async () => {
  const postId = await lostPost('sms', 'limited, interrupted');
  world.clock.advance(MINUTE_MS);
  expect((await claimDueSends(world.context)).sends.length).toBe(1);
  twilio.answers['GET /Messages.json'] = [{ status: 429, json: {}, headers: { 'retry-after': '3600' } }];
  await world.advance(2 * MINUTE_MS);
  const scheduledFor = new Date(now().getTime() + MINUTE_MS).toISOString();
  const next = await makePost(world, 'sms', { text: 'after the limit', scheduledFor });

  await world.advance(59 * MINUTE_MS);
  const before = await read(next.postId);
  await world.advance(MINUTE_MS);

  const { status, error } = await read(postId);
  expect([status, error.code, onTwilio('limited, interrupted')]).toEqual(['failed', 'outcome_unknown', []]);
  expect([before.status, (await read(next.postId)).status]).toEqual(['scheduled', 'sent']);
});

it('a message that a person forces is sent, although Twilio does not say whether it arrived', async () => {
  twilio.faults.push('drops_before');
  const { postId, error } = await makePost(world, 'sms', { text: 'forced' });
  twilio.answers['GET /Messages.json'] = [OUTAGE, OUTAGE];

  const retried = (await world.rest(`POST /posts/${postId}/retry`, { body: {} })).body.result;
  const forced = (await world.rest(`POST /posts/${postId}/retry`, { body: { force: true } })).body.result;

  expect([error?.code, retried.error?.code, forced.status]).toEqual([
    'platform_unavailable',
    'platform_unavailable',
    'sent',
  ]);
  expect(onTwilio('forced').length).toBe(1);
});

it('a message that Twilio can no longer show is left to a person, who can send it', async () => {
  const postId = await lostPost('sms', 'among many');
  for (let number = 1; number <= 60; number += 1) arriveAtTwilio(`another ${number}`);

  await world.advance(MINUTE_MS);

  const { status, error } = await read(postId);
  const retried = await world.rest(`POST /posts/${postId}/retry`, { body: {} });
  const forced = (await world.rest(`POST /posts/${postId}/retry`, { body: { force: true } })).body.result;
  expect([status, error]).toEqual([
    'failed',
    {
      code: 'outcome_unknown',
      message:
        'The send was interrupted and it is not known whether the post went out: look on the platform before sending it again. SMS does not show whether an earlier send of this post arrived, so it was not sent again.',
    },
  ]);
  expect([retried.status, retried.body.error, forced.status]).toEqual([400, 'invalid_request', 'sent']);
  expect(onTwilio('among many').length).toBe(1);
});

it.each<[string, WireAnswer, string]>([
  ['does not answer', OUTAGE, 'platform_unavailable'],
  ['refuses the login', { status: 401, json: { title: 'Unauthorized' } }, 'reconnect_required'],
])(
  'a post whose text X no longer keeps from being posted twice is not sent again while X %s',
  async (why, answer, code) => {
    const text = `hours late, X ${why}`;
    x.faults.push('drops_before');
    const { postId, error } = await makePost(world, 'x-alice', { text });
    await world.advance(2 * 60 * MINUTE_MS);
    x.answers['GET /2/users/:id/tweets'] = [answer];

    const { result } = (await world.rest(`POST /posts/${postId}/retry`, { body: {} })).body;

    expect([error?.code, result.error.code, onX(text)]).toEqual(['platform_unavailable', code, []]);
    expect((await world.rest(`POST /posts/${postId}/retry`, { body: { force: true } })).body.result.status).toBe(
      'sent',
    );
  },
);

it('a post that was lost in the future, before the clock was set back, is not sent again while X does not answer', async () => {
  const text = 'lost in the future';
  x.faults.push('drops_before');
  const { postId, error } = await makePost(world, 'x-alice', { text });
  const lostAt = now();
  onTestFinished(() => world.clock.set(lostAt));
  world.clock.set(new Date(lostAt.getTime() - 120 * MINUTE_MS));
  x.answers['GET /2/users/:id/tweets'] = [OUTAGE];

  const { result } = (await world.rest(`POST /posts/${postId}/retry`, { body: {} })).body;

  expect([error?.code, result.error.code, onX(text)]).toEqual(['platform_unavailable', 'platform_unavailable', []]);
  expect((await world.rest(`POST /posts/${postId}/retry`, { body: { force: true } })).body.result.status).toBe('sent');
});

it('a message whose ledger does not say whether it may have arrived is sent, although Twilio does not answer', async () => {
  const postId = await lostPost('sms', 'of an older version');
  await world.sql('update attempts set may_have_arrived = null where post_id = $1', [postId]);
  twilio.answers['GET /Messages.json'] = [OUTAGE];

  await world.advance(MINUTE_MS);

  expect([(await read(postId)).status, onTwilio('of an older version').length]).toEqual(['sent', 1]);
});

it('a message that arrives late and fails at Twilio is sent by its repeat', async () => {
  const postId = await lostPost('sms', 'late, and failed');
  arriveAtTwilio('late, and failed', { status: 'failed' });

  await world.advance(MINUTE_MS);

  const { status, platformPostId } = await read(postId);
  expect([status, platformPostId]).toEqual(['sent', twilio.messages().at(-1)?.sid]);
});

it('a message that Twilio took and could not send is failed', async () => {
  twilio.faults.push('drops_before');
  arriveAtTwilio('undelivered', { status: 'undelivered', errorMessage: 'Unreachable destination handset' });

  const { status, error } = await makePost(world, 'sms', { text: 'undelivered' });

  expect([status, error]).toEqual([
    'failed',
    {
      code: 'platform_rejected',
      message: 'Twilio did not send the message, which is undelivered: Unreachable destination handset',
    },
  ]);
});

it('a post that did not arrive is sent by its repeat', async () => {
  const postId = await lostPost('x-alice', 'not late');

  await world.advance(MINUTE_MS);

  expect([(await read(postId)).status, onX('not late').length]).toEqual(['sent', 1]);
});

it('a refused duplicate whose earlier send cannot be searched for leaves the outcome unknown', async () => {
  const postId = await lostPost('x-alice', 'late, unseen');
  await arriveAtX('late, unseen');
  x.answers['GET /2/users/:id/tweets'] = [OUTAGE, OUTAGE, OUTAGE];

  await world.advance(MINUTE_MS);

  const { status, error } = await read(postId);
  expect([status, error.code]).toEqual(['failed', 'outcome_unknown']);
  expect(error.message).toContain('an earlier send of this one may be up');
  expect(await attemptsOf(postId)).toEqual(['unavailable', 'unknown']);
});

it('a refused duplicate of which X lists the post after all is that post', async () => {
  const postId = await lostPost('x-alice', 'late, seen later');
  await arriveAtX('late, seen later');
  x.answers['GET /2/users/:id/tweets'] = [OUTAGE, OUTAGE];

  await world.advance(MINUTE_MS);

  const { status, platformPostId } = await read(postId);
  expect([status, platformPostId]).toEqual(['sent', onX('late, seen later')[0]?.id]);
});

it('a refused duplicate of another post of the connection is not taken for the repeated one', async () => {
  const postId = await lostPost('x-alice', 'twice');
  const other = await makePost(world, 'x-alice', { text: 'twice' });

  await world.advance(MINUTE_MS);

  const { status, error } = await read(postId);
  expect([other.status, status, error.code]).toEqual(['sent', 'failed', 'platform_rejected']);
  expect(error.message).toBe('X refused the text as a duplicate of another post of this connection.');
});

/** Asks with a key whose posts need approval to send a post again: it becomes a draft. */
async function askAgain(postId: string): Promise<void> {
  const { secret } = await world.key({ approval: 'required' });
  const { body } = await world.rest(`POST /posts/${postId}/retry`, { key: secret, body: { force: true } });
  expect(body.result.status).toBe('draft');
}

it('a draft whose earlier send is up is that post, also after a change of its tags', async () => {
  x.faults.push('drops_after');
  x.answers['GET /2/users/:id/tweets'] = [OUTAGE, OUTAGE];
  const { postId, error } = await makePost(world, 'x-alice', { text: 'up, unseen' });
  await askAgain(postId);
  await world.rest(`PATCH /posts/${postId}`, { body: { tags: ['again'] } });

  const { result } = (await world.rest(`POST /posts/${postId}/publish`)).body;

  const { platformPostId } = await read(postId);
  expect([error?.code, result.status, onX('up, unseen').map(({ id }) => id)]).toEqual([
    'outcome_unknown',
    'sent',
    [platformPostId],
  ]);
});

it('a draft whose text was changed is published, although the platform finds its earlier send', async () => {
  const { postId, error } = await makePost(world, world.sandboxSlug, { text: 'first words [[vanish]]' });
  await askAgain(postId);
  await world.rest(`PATCH /posts/${postId}`, { body: { text: 'other words' } });

  const { result } = (await world.rest(`POST /posts/${postId}/publish`)).body;

  const { text, platformPostId } = await read(postId);
  const up = await world.sql<{ id: string }>(`select id from sandbox_posts where text = 'other words'`);
  expect([error?.code, result.status, text, up]).toEqual([
    'outcome_unknown',
    'sent',
    'other words',
    [{ id: platformPostId }],
  ]);
  expect(await attemptsOf(postId)).toEqual(['unknown', 'accepted']);
});
