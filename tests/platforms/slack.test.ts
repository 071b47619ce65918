import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FetchInit, Json, OutgoingImage, PlatformIo, SendPart } from '../../platforms/contract.ts';
import { slack } from '../../platforms/slack/index.ts';
import { BOT_SCOPES, type FakeBot, type FakeChannel, type FakeSlack, startFakeSlack } from './fakes/fake-slack.ts';
import { failureOf, headPart, sessionOf, StoppedClock, testIo } from './harness.ts';

const LOGIN = { botToken: 'xoxb-bells', channelId: 'C0BELLS' };
const IMAGE: OutgoingImage = {
  mediaId: 'm',
  bytes: Buffer.from('a picture'),
  contentType: 'image/png',
  width: 3,
  height: 2,
  altText: 'A bell',
};

let clock: StoppedClock;
let fake: FakeSlack;
let channel: FakeChannel;
let bot: FakeBot;

beforeEach(async () => {
  clock = new StoppedClock();
  fake = await startFakeSlack({ now: clock.now });
  channel = fake.addChannel('C0BELLS', 'bells');
  bot = fake.addBot('xoxb-bells', [...BOT_SCOPES, 'channels:read']);
});

afterEach(() => fake.close());

const io = () => testIo(clock.now, { SLACK_API_URL: fake.url });
const connect = (credential = LOGIN) => slack.connectAccount(credential, io());
const open = async () => sessionOf(await connect());
type Session = Awaited<ReturnType<typeof open>>;

const part = (text: string, prepared: Json | null = null): SendPart => ({
  ...headPart(text, 'attempt-1', clock.now()),
  prepared,
});
const publish = async (text: string) => slack.publish(await open(), part(text), io());
const prepare = async (session: Session, images: readonly OutgoingImage[], with_ = io()): Promise<Json> =>
  (await slack.prepare?.(session, images, with_)) ?? null;

/** Answers calls whose URL contains `path` with a given response, and passes the others on. */
function answering(path: string, answer: () => Promise<Response>): PlatformIo {
  const passing = io();
  return {
    ...passing,
    fetch: (url: string | URL, init: FetchInit = {}) =>
      String(url).includes(path) ? answer() : passing.fetch(url, init),
  };
}

describe('credentials', () => {
  it.each([
    [{ botToken: 'xoxb-1', channelId: 'C0123456789' }, true],
    [{ botToken: ' xoxb-1 ', channelId: ' G0123456789 ' }, true],
    [{ botToken: 'xoxb-1', channelId: '#bells' }, false],
    [{ botToken: ' ', channelId: 'C0123456789' }, false],
    [{ botToken: 'xoxb-1' }, false],
    [{ botToken: 'xoxb-1', channelId: 'C0123456789', team: 'T1' }, false],
  ])('accepts or refuses %j', (input, taken) => {
    expect(slack.credentials.safeParse(input).success).toBe(taken);
  });
});

describe('connectAccount', () => {
  it('returns the channel under the names of workspace and channel', async () => {
    expect(await connect()).toEqual({
      platformAccountId: 'T0BELLS:C0BELLS',
      handle: 'Bell Ringers #bells',
      credential: LOGIN,
    });
  });

  it('accepts a channel that the token may post to but not read', async () => {
    bot.scopes.delete('channels:read');

    expect((await connect()).handle).toBe('Bell Ringers C0BELLS');
  });

  it('accepts a public channel without the bot if the token may post there', async () => {
    channel.isMember = false;

    expect((await connect()).handle).toBe('Bell Ringers #bells');
  });

  it.each([
    [
      'a token that Slack does not know',
      { ...LOGIN, botToken: 'xoxb-0' },
      'reconnect',
      /not accept this credential: invalid_auth/,
    ],
    [
      'a channel that is not there',
      { ...LOGIN, channelId: 'C0ROPES' },
      'rejected',
      /no channel C0ROPES; invite the bot/,
    ],
  ])('refuses %s', async (_case, credential, kind, message) => {
    expect(await failureOf(connect(credential))).toEqual({ kind, message: expect.stringMatching(message) as string });
  });

  it.each([
    ['an archived channel', () => (channel.isArchived = true), /C0BELLS is archived/],
    ['a token that cannot write', () => bot.scopes.delete('chat:write'), /lacks the scope chat:write/],
    [
      'a channel that the bot is not in',
      () => {
        channel.isMember = false;
        bot.scopes.delete('chat:write.public');
      },
      /not in the channel C0BELLS; invite it/,
    ],
  ])('refuses %s', async (_case, arrange, message) => {
    arrange();

    expect(await failureOf(connect())).toEqual({
      kind: 'rejected',
      message: expect.stringMatching(message) as string,
    });
  });

  it('is unavailable when Slack cannot be reached', async () => {
    await fake.close();

    expect(await failureOf(connect())).toMatchObject({ kind: 'unavailable' });
  });
});

describe('publish', () => {
  it('posts to the channel and returns the location of the message', async () => {
    const published = await publish('hello *bells*');

    expect(fake.messages()).toEqual([
      { channelId: 'C0BELLS', source: 'hello *bells*', text: 'hello *bells*', files: [] },
    ]);
    expect(published).toEqual({ platformPostId: `C0BELLS:${clock.now().getTime() / 1_000}.000001`, url: null });
  });

  it('notifies no one whom the text mentions', async () => {
    await publish('<!channel> A & B <https://x.example|here>');

    const [message] = fake.messages();
    expect(message?.source).toBe('&lt;!channel&gt; A &amp; B &lt;https://x.example|here&gt;');
    expect(message?.text).toBe('<!channel> A & B <https://x.example|here>');
  });

  it('sends the longest text in full, even if every character must be escaped', async () => {
    await publish('&'.repeat(slack.text.maxLength));

    expect(fake.messages()[0]?.text).toBe('&'.repeat(slack.text.maxLength));
  });

  it.each([
    ['rejected', 'msg_too_long', 'Slack refused: msg_too_long'],
    ['rejected', 'restricted_action', 'Slack refused: restricted_action'],
    ['rejected', 'something_new', 'Slack refused: something_new'],
    ['reconnect', 'token_revoked', 'Slack does not accept this credential: token_revoked'],
    ['reconnect', 'account_inactive', 'Slack does not accept this credential: account_inactive'],
    ['reconnect', 'channel_not_found', 'Slack does not accept this credential: channel_not_found'],
    ['reconnect', 'not_in_channel', 'Slack does not accept this credential: not_in_channel'],
    ['reconnect', 'is_archived', 'Slack does not accept this credential: is_archived'],
    ['unavailable', 'service_unavailable', 'Slack accepts nothing for now (service_unavailable); nothing was posted.'],
    ['unavailable', 'ratelimited', 'Slack accepts nothing for now (ratelimited); nothing was posted.'],
    ['unknown', 'internal_error', 'Slack answered internal_error.'],
    ['unknown', 'fatal_error', 'Slack answered fatal_error.'],
  ])('is %s by the error %s, which comes with HTTP 200', async (kind, error, message) => {
    const session = await open();
    fake.faults.push({ error });

    expect(await failureOf(slack.publish(session, part('hello'), io()))).toEqual({ kind, message });
    expect(fake.messages()).toEqual([]);
  });

  it('names the missing scope', async () => {
    const session = await open();
    bot.scopes.delete('chat:write');

    expect((await failureOf(slack.publish(session, part('hello'), io()))).message).toBe(
      'Slack does not accept this credential: missing_scope (chat:write)',
    );
  });

  it.each([
    ['HTTP 429', 'rate_limited' as const, 30_000],
    ['an error with HTTP 200', { error: 'ratelimited' }, 60_000],
    ['an outage', { error: 'service_unavailable' }, undefined],
  ])('passes on the requested wait after %s', async (_case, fault, retryAfterMs) => {
    const session = await open();
    fake.faults.push(fault);

    await expect(slack.publish(session, part('hello'), io())).rejects.toMatchObject({
      kind: 'unavailable',
      retryAfterMs,
    });
  });

  it.each([
    ['a page of a proxy', new Response('<!DOCTYPE html>', { status: 403 }), 'HTTP 403'],
    ['an empty 502', new Response(null, { status: 502 }), 'HTTP 502'],
    ['JSON of somebody else', Response.json({ hello: 1 }), 'HTTP 200'],
    ['an answer without the message', Response.json({ ok: true }), 'without the message it made'],
  ])('reports an unknown outcome after %s', async (_case, response, message) => {
    const session = await open();
    const served = answering('chat.postMessage', () => Promise.resolve(response.clone()));

    expect(await failureOf(slack.publish(session, part('hello'), served))).toEqual({
      kind: 'unknown',
      message: expect.stringContaining(message) as string,
    });
  });

  it.each(['fails_after', 'drops_after'] as const)('reports an unknown outcome when the call %s', async (fault) => {
    const session = await open();
    fake.faults.push(fault);

    expect((await failureOf(slack.publish(session, part('there'), io()))).kind).toBe('unknown');
    expect(fake.messages().length).toBe(1);
  });

  it('publishes no reply, which Slack does not support', async () => {
    await expect(slack.publish(await open(), { ...part('two'), step: 'reply' }, io())).rejects.toThrow(
      'no part of the kind reply',
    );
  });
});

describe('images', () => {
  it('are uploaded unpublished, then referenced in order by one message, with their alt text', async () => {
    const session = await open();

    const prepared = await prepare(session, [IMAGE, { ...IMAGE, contentType: 'image/jpeg', altText: '' }]);
    const before = fake.messages().length;
    const published = await slack.publish(session, part('look & see', prepared), io());

    const [one, two] = fake.files();
    expect(before).toBe(0);
    expect(fake.messages()).toEqual([
      { channelId: 'C0BELLS', source: 'look &amp; see', text: 'look & see', files: [one, two] },
    ]);
    expect([one, two]).toEqual([
      { id: 'F0000001', filename: 'image-1.png', altText: 'A bell', length: 9, bytes: Buffer.from('a picture') },
      { id: 'F0000002', filename: 'image-2.jpeg', altText: null, length: 9, bytes: Buffer.from('a picture') },
    ]);
    expect(published).toEqual({ platformPostId: 'C0BELLS:F0000001', url: null });
    expect(fake.calls['chat.postMessage']).toBeUndefined();
  });

  it('of a message with a lost response are not referenced twice', async () => {
    const session = await open();
    const prepared = await prepare(session, [IMAGE]);
    fake.faults.push('drops_after');

    const failure = await failureOf(slack.publish(session, part('look', prepared), io()));

    expect([failure.kind, fake.messages().length]).toEqual(['unknown', 1]);
  });

  const json = (body: object, status = 200) => Promise.resolve(Response.json(body, { status }));
  it.each([
    ['a rate limit', 'files.getUploadURLExternal', () => json({ ok: false, error: 'ratelimited' }), 'unavailable'],
    ['HTTP 500', 'files.getUploadURLExternal', () => json({}, 500), 'unavailable'],
    ['a missing scope', 'files.getUploadURLExternal', () => json({ ok: false, error: 'missing_scope' }), 'reconnect'],
    ['no place', 'files.getUploadURLExternal', () => json({ ok: true }), 'unavailable'],
    ['no answer', '/upload/', () => Promise.reject(new Error('reset')), 'unavailable'],
    ['a refusal of the bytes', '/upload/', () => json({}, 403), 'unavailable'],
    ['bytes that are too many', '/upload/', () => json({}, 413), 'rejected'],
  ])('handle %s', async (_case, path, answer, kind) => {
    const session = await open();

    expect((await failureOf(prepare(session, [IMAGE], answering(path, answer)))).kind).toBe(kind);
    expect(fake.messages()).toEqual([]);
  });

  it.each([429, 503])('pass on the wait that is requested with HTTP %i', async (status) => {
    const session = await open();
    const headers = { 'retry-after': '30' };
    const busy = answering('/upload/', () => Promise.resolve(new Response(null, { status, headers })));

    await expect(prepare(session, [IMAGE], busy)).rejects.toMatchObject({ kind: 'unavailable', retryAfterMs: 30_000 });
  });
});
