import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FetchInit, PlatformIo, SendPart } from '../../platforms/contract.ts';
import type { TwilioAccount } from '../../platforms/sms/settings.ts';
import { sms } from '../../platforms/sms/index.ts';
import { type FakeSms, type FakeTwilio, startFakeTwilio, TWILIO } from './fakes/fake-twilio.ts';
import { failureOf, headPart, sessionOf, StoppedClock, testIo } from './harness.ts';

const TO = '+15550100123';
const SERVICE = `MG${'f'.repeat(32)}`;

let clock: StoppedClock;
let fake: FakeTwilio;

beforeEach(async () => {
  clock = new StoppedClock();
  fake = await startFakeTwilio({ now: clock.now });
});

afterEach(() => fake.close());

const io = (account: Partial<TwilioAccount> = {}) =>
  testIo(clock.now, { TWILIO_API_URL: fake.url }, 10_000, { twilio: { ...TWILIO, ...account } });
const connect = (with_ = io()) => sms.connectAccount({ to: TO }, with_);
const session = sessionOf({ platformAccountId: TO, handle: TO, credential: { to: TO } });
const part = (text: string): SendPart => headPart(text, 'attempt-1', clock.now());
const publish = (text: string, with_ = io()) => sms.publish(session, part(text), with_);

/** Recovers a part whose response was lost, as the app does. */
const lookFor = (lost: SendPart, with_ = io()) =>
  sms.readBack?.(session, lost, with_) ?? Promise.reject(new Error('no readBack'));

function answering(answer: () => Promise<Response>): PlatformIo {
  return { ...io(), fetch: (_url: string | URL, _init?: FetchInit) => answer() };
}

/** A message in Twilio's list that this install did not create. */
function listed(body: string, more: Partial<FakeSms> = {}): void {
  const shared = { to: TO, from: TWILIO.from, messagingServiceSid: null, direction: 'outbound-api' as const };
  fake.receive({ ...shared, body, createdAt: clock.now(), ...more });
}

describe('credentials', () => {
  it.each([
    [{ to: '+15550100123' }, true],
    [{ to: ' +15550100123 ' }, true],
    [{ to: '5550100123' }, false],
    [{ to: '+1 555 0100' }, false],
    [{ to: '+1234567890123456' }, false],
    [{}, false],
    [{ to: '+15550100123', from: '+15550100999' }, false],
  ])('accepts or refuses %j', (input, taken) => {
    expect(sms.credentials.safeParse(input).success).toBe(taken);
  });
});

describe('connectAccount', () => {
  it('returns the number if Twilio serves the account', async () => {
    expect(await connect()).toEqual({ platformAccountId: TO, handle: TO, credential: { to: TO } });
    expect(fake.calls).toEqual({ 'GET .json': 1 });
  });

  it.each([
    [
      'a token that is wrong',
      () => (fake.authToken = 'another'),
      /does not serve this install’s account now: Authenticate/,
    ],
    ['an account that is suspended', () => (fake.accountStatus = 'suspended'), /account at Twilio is suspended/],
  ])('is unavailable with %s, which no caller can fix', async (_case, arrange, message) => {
    arrange();

    expect(await failureOf(connect())).toEqual({
      kind: 'unavailable',
      message: expect.stringMatching(message) as string,
    });
  });

  it('is unavailable when Twilio cannot be reached', async () => {
    await fake.close();

    expect(await failureOf(connect())).toMatchObject({ kind: 'unavailable' });
  });
});

describe('publish', () => {
  it('sends from the number of this install, and returns the id', async () => {
    const published = await publish('hello, ring & rope');

    expect(fake.messages()).toMatchObject([{ to: TO, from: TWILIO.from, body: 'hello, ring & rope' }]);
    expect(published).toEqual({ platformPostId: fake.messages()[0]?.sid, url: null });
  });

  it('lets a messaging service choose the number', async () => {
    await publish('hello', io({ from: SERVICE }));

    expect(fake.messages()).toMatchObject([{ to: TO, from: null, messagingServiceSid: SERVICE }]);
  });

  it.each([
    ['rejected', { code: 21_211 }],
    ['rejected', { code: 21_614 }],
    ['rejected', { code: 21_610 }],
    ['rejected', { code: 21_408 }],
    ['rejected', { code: 21_608 }],
    ['rejected', { code: 21_617 }],
    ['rejected', { code: 99_999 }],
    ['unavailable', { code: 21_606 }],
    ['unavailable', { code: 21_212 }],
    ['unavailable', { code: 21_601 }],
    ['unavailable', { code: 21_611 }],
    ['unavailable', { code: 21_661 }],
    ['unavailable', { code: 21_701 }],
    ['unavailable', { code: 21_730 }],
    ['unavailable', { code: 20_003, status: 401 }],
    ['unavailable', { code: 20_005, status: 403 }],
    ['unavailable', { code: 20_404, status: 404 }],
    ['unavailable', { code: 63_038, status: 429 }],
    ['unavailable', { code: 20_429, status: 429 }],
    ['unknown', { code: 20_500, status: 500 }],
  ])('is %s by the error %j', async (kind, fault) => {
    fake.faults.push(fault);

    expect((await failureOf(publish('hello'))).kind).toBe(kind);
    expect(fake.messages()).toEqual([]);
  });

  it('reports the reason with Twilio’s message', async () => {
    fake.faults.push({ code: 21_610 }, { code: 21_606 });

    expect([(await failureOf(publish('one'))).message, (await failureOf(publish('two'))).message]).toEqual([
      'Twilio refused: The number is not for us.',
      'Twilio does not serve this install’s account now: The number is not for us.; nothing was posted.',
    ]);
  });

  it('passes on the requested wait', async () => {
    fake.faults.push('rate_limited');

    await expect(publish('hello')).rejects.toMatchObject({ kind: 'unavailable', retryAfterMs: 30_000 });
  });

  it.each([
    ['a page of a proxy', new Response('<html>', { status: 403 }), 'unknown', 'HTTP 403'],
    ['an answer without the message', Response.json({}, { status: 201 }), 'unknown', 'without the message it made'],
    ['a redirect', new Response(null, { status: 302 }), 'rejected', 'HTTP 302'],
    [
      'a message that failed at once',
      Response.json({ sid: 'SM1', status: 'failed', error_message: 'No route' }, { status: 201 }),
      'rejected',
      'No route',
    ],
  ])('handles %s', async (_case, response, kind, message) => {
    const failure = await failureOf(
      publish(
        'hello',
        answering(() => Promise.resolve(response.clone())),
      ),
    );

    expect(failure).toEqual({ kind, message: expect.stringContaining(message) as string });
  });

  it('posts nothing after the settings were removed', async () => {
    const unconfigured = testIo(clock.now, { TWILIO_API_URL: fake.url });

    expect(await failureOf(publish('hello', unconfigured))).toMatchObject({ kind: 'unavailable' });
    expect(fake.calls).toEqual({});
  });
});

describe('readBack', () => {
  it.each(['fails_after', 'drops_after'] as const)('finds the message when the call %s', async (fault) => {
    const lost = part('there');
    fake.faults.push(fault);

    const { kind } = await failureOf(publish('there'));
    clock.advance(40_000);

    expect(kind).toBe('unknown');
    expect(await lookFor(lost)).toEqual({ platformPostId: fake.messages()[0]?.sid, url: null });
  });

  it.each(['fails_before', 'drops_before', 'web_page'] as const)('finds no message when the call %s', async (fault) => {
    fake.faults.push(fault);

    expect((await failureOf(publish('not there'))).kind).toBe('unknown');
    expect(await lookFor(part('not there'))).toBeNull();
  });

  it('finds the message of a trial account, to which Twilio prepends text', async () => {
    fake.prefix = 'Sent from your Twilio trial account - ';
    const { platformPostId } = await publish('hello');

    expect(await lookFor(part('hello'))).toEqual({ platformPostId, url: null });
  });

  it('matches the first of two messages with the same text', async () => {
    const first = await publish('twice');
    await publish('twice');

    expect(await lookFor(part('twice'))).toEqual(first);
  });

  it.each<[string, Partial<FakeSms>]>([
    ['that is older', { createdAt: new Date(0) }],
    ['to another number', { to: '+15550100124' }],
    ['from another number', { from: '+15550100998' }],
    ['that came in', { direction: 'inbound' }],
  ])('does not match a message %s', async (_case, more) => {
    listed('hello', more);

    expect(await lookFor(part('hello'))).toBeNull();
  });

  it.each([
    ['failed', { errorCode: 30_008, errorMessage: 'Unknown error' }, 'Unknown error'],
    ['undelivered', { errorCode: 30_003 }, 'error 30003'],
    ['canceled', {}, 'it gives no reason'],
  ])('reports that a message is %s, and did not go out', async (status, more, reason) => {
    listed('lost', { status, ...more });

    expect(await lookFor(part('lost'))).toMatchObject({
      kind: 'rejected',
      message: `Twilio did not send the message, which is ${status}: ${reason}`,
    });
  });

  it('prefers a message that went out to one that failed', async () => {
    listed('twice', { status: 'failed' });
    const { platformPostId } = await publish('twice');

    expect(await lookFor(part('twice'))).toEqual({ platformPostId, url: null });
  });

  it('finds the message that a messaging service sent, and ignores other services', async () => {
    const service = io({ from: SERVICE });
    const mine = await publish('hello', service);
    listed('bye', { from: null, messagingServiceSid: `MG${'e'.repeat(32)}` });

    expect(await lookFor(part('hello'), service)).toEqual(mine);
  });

  it('reports an unknown outcome if a messaging service may have changed the text', async () => {
    listed('"hello"', { from: null, messagingServiceSid: SERVICE });

    expect(await failureOf(lookFor(part('“hello”'), io({ from: SERVICE })))).toMatchObject({ kind: 'unknown' });
  });

  it('reports an unknown outcome when there are more new messages than it can list', async () => {
    for (let count = 0; count < 50; count += 1) listed(`message ${count}`);

    expect(await failureOf(lookFor(part('hello')))).toMatchObject({ kind: 'unknown' });
  });

  it.each([
    ['HTTP 500', () => Promise.resolve(new Response(null, { status: 500 }))],
    ['JSON of somebody else', () => Promise.resolve(Response.json({ hello: 1 }))],
    ['no answer', () => Promise.reject(new Error('reset'))],
  ])('reports an unknown outcome after %s', async (_case, answer) => {
    expect((await failureOf(lookFor(part('hello'), answering(answer)))).kind).toBe('unknown');
  });
});
