/** followEvents gives each event in order and once, over connections that break, and ends as it is told. */
import { describe, expect, it } from 'vitest';
import { CarillonError, createClient, followEvents, NoAnswerError, type StreamedEvent } from '../../client/index.ts';
import type { Clock } from '../../client/runtime.ts';
import { makeAccount } from '../harness/accounts.ts';
import { accountWithSandbox } from '../harness/connections.ts';
import { makePost } from '../harness/posts.ts';
import { startWorld } from '../harness/world.ts';
import { signIn, tokensFor } from '../oauth/agents.ts';
import { scriptedFetch, type Step } from './scripted-fetch.ts';

const world = await startWorld();

const textOf = (event: StreamedEvent) => (event.event === 'post.sent' ? event.post.text : event.event);

/** Options of a client of an account whose requests are scripted. */
function reader(key: string, steps: readonly Step[] = []) {
  const script = scriptedFetch(steps, { now: () => world.clock.now().getTime() });
  return { ...script, options: { url: world.url, apiKey: key, ...script.runtime } };
}

/** A fetch whose streams break off after so many messages with data. */
function breaking(after: number) {
  return async (url: string, init: RequestInit) => {
    const response = await fetch(url, init);
    if (!response.ok || response.body === null) return response;
    const { headers } = response;
    return new Response(ReadableStream.from(messagesUntil(after, response.body)), { headers });
  };
}

async function* messagesUntil(after: number, body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  let seen = 0;
  for await (const chunk of body) {
    for (const message of new TextDecoder().decode(chunk).split(/(?<=\n\n)/)) {
      // A part of a message arrives.
      if (seen === after) yield new TextEncoder().encode(message.slice(0, 20));
      if (seen === after) throw new TypeError('terminated');
      yield new TextEncoder().encode(message);
      if (message.includes('data: ')) seen += 1;
    }
  }
}

describe('followEvents', () => {
  it('gives every event once and in order, although each connection breaks after two', async () => {
    const { key } = await accountWithSandbox(world);
    const { options } = reader(key);
    const stop = new AbortController();
    const events = followEvents(
      { ...options, fetch: breaking(2) },
      { signal: stop.signal, lastEventId: await anchor(key) },
    );
    const texts = Array.from({ length: 9 }, (_, index) => `Bell ${index}`);
    for (const text of texts) await makePost(world, 'sandbox', { key, text });

    const received: string[] = [];
    for await (const event of events) {
      received.push(textOf(event));
      if (received.length === texts.length) stop.abort();
    }

    expect(received).toEqual(texts);
  });

  it('gives the body of a webhook and the mode, typed by the name of the event', async () => {
    const { key } = await accountWithSandbox(world);
    const events = followEvents(createClient({ url: world.url, apiKey: key }), { lastEventId: await anchor(key) });
    await makePost(world, 'sandbox', { key, text: 'Ding' });

    const { value } = await events.next();
    await events.return();

    expect(value).toMatchObject({ event: 'post.sent', mode: 'live', post: { text: 'Ding', status: 'sent' } });
  });

  it('gives an event whose text has a line separator', async () => {
    const { key } = await accountWithSandbox(world);
    const events = followEvents(reader(key).options, { lastEventId: await anchor(key) });
    const texts = ['One\u2028two: three', 'Four\u2029five'];
    for (const text of texts) await makePost(world, 'sandbox', { key, text });

    const received = [(await events.next()).value, (await events.next()).value];
    await events.return();

    expect(received).toMatchObject(texts.map((text) => ({ event: 'post.sent', post: { text } })));
  });

  it('continues after a stored position, which it reports once an event is processed', async () => {
    const { key } = await accountWithSandbox(world);
    const { options } = reader(key);
    const lastEventId = await anchor(key);
    await makePost(world, 'sandbox', { key, text: 'One' });
    await makePost(world, 'sandbox', { key, text: 'Two' });
    const positions: string[] = [];
    const first = followEvents(options, { lastEventId, onPosition: (id) => positions.push(id) });
    const one = await first.next();
    expect(positions).not.toContain(one.value?.eventId);
    const two = await first.next();
    await first.return();

    // Positions between events come as time passes; the event is among them once the next one was asked for.
    expect(positions).toContain(one.value?.eventId);
    const second = followEvents(options, { lastEventId: one.value?.eventId ?? '' });

    expect((await second.next()).value).toEqual(two.value);
    await second.return();
  });

  it('waits between connections: two seconds at least, more after each failure, and as long as Retry-After says', async () => {
    const { key } = await accountWithSandbox(world);
    const lastEventId = await anchor(key);
    await makePost(world, 'sandbox', { key, text: 'Late' });
    const busy = () => new Response('busy', { status: 503, headers: { 'retry-after': '30' } });
    const { options, waits } = reader(key, ['refused', 'refused', busy()]);
    const events = followEvents(options, { lastEventId });

    const { value } = await events.next();
    await events.return();

    expect(value).toMatchObject({ post: { text: 'Late' } });
    expect(waits).toEqual([2_000, 2_000, 30_000]);
  });

  it('reconnects when nothing is received for 45 seconds', async () => {
    const { key } = await accountWithSandbox(world);
    const lastEventId = await anchor(key);
    await makePost(world, 'sandbox', { key, text: 'After the silence' });
    const silent = new Response(new ReadableStream({}), { headers: { 'content-type': 'text/event-stream' } });
    const { options, requests, runtime } = reader(key, [silent]);
    const sleeps: number[] = [];
    const clock: Clock = {
      now: runtime.clock.now,
      sleep: async (ms, signal) => {
        sleeps.push(ms);
        // The first one watches over the request, the second one over the stream.
        if (sleeps.length !== 2 && ms === 45_000) return runtime.clock.sleep(ms, signal);
      },
    };
    const events = followEvents({ ...options, clock }, { lastEventId });

    const { value } = await events.next();
    await events.return();

    expect(value).toMatchObject({ post: { text: 'After the silence' } });
    expect(requests).toEqual(['GET /api/v2/events', 'GET /api/v2/events']);
    expect(sleeps.slice(0, 3)).toEqual([45_000, 45_000, 2_000]);
  });

  it('tries again when a connection gets no answer for 45 seconds, and ends the request', async () => {
    const { key } = await accountWithSandbox(world);
    const lastEventId = await anchor(key);
    await makePost(world, 'sandbox', { key, text: 'After the silence' });
    const { options, runtime } = reader(key);
    const asked: AbortSignal[] = [];
    const silentAtFirst: typeof runtime.fetch = (url, init) => {
      asked.push(init.signal as AbortSignal);
      return asked.length === 1 ? new Promise<Response>(() => {}) : fetch(url, init);
    };
    const sleeps: number[] = [];
    const clock: Clock = {
      now: runtime.clock.now,
      sleep: async (ms, signal) => {
        sleeps.push(ms);
        if (sleeps.length > 1 && ms === 45_000) return runtime.clock.sleep(ms, signal);
      },
    };
    const events = followEvents({ ...options, fetch: silentAtFirst, clock }, { lastEventId });

    const { value } = await events.next();
    const isEnded = asked.map((signal) => signal.aborted);
    await events.return();

    expect(value).toMatchObject({ post: { text: 'After the silence' } });
    expect([isEnded, sleeps.slice(0, 2)]).toEqual([
      [true, false],
      [45_000, 2_000],
    ]);
  });

  it('says when a connection is open and when it is lost', async () => {
    const { key } = await accountWithSandbox(world);
    const { options } = reader(key, ['refused']);
    const lastEventId = await anchor(key);
    const states: string[] = [];
    const onConnection = (state: string) => states.push(state);
    const events = followEvents({ ...options, fetch: breaking(1) }, { lastEventId, onConnection });
    for (const text of ['One', 'Two']) await makePost(world, 'sandbox', { key, text });

    await events.next();
    await events.next();
    await events.return();

    expect(states).toEqual(['open', 'lost', 'open']);
  });

  it('takes the access token of a grant, and asks for the present one with each connection', async () => {
    const person = await signIn(world);
    const { access } = await tokensFor(world, person, { scope: 'webhooks:read' });
    const { runtime } = reader('');
    let asked = 0;
    const accessToken = async () => {
      asked += 1;
      return access;
    };
    const lastEventId = await anchor(world.liveKey);
    const events = followEvents({ url: world.url, accessToken, ...runtime, fetch: breaking(1) }, { lastEventId });
    for (const text of ['One', 'Two']) await makePost(world, world.sandboxSlug, { text });

    const texts = [(await events.next()).value, (await events.next()).value].map((event) => event && textOf(event));
    await events.return();

    expect(texts).toEqual(['One', 'Two']);
    expect(asked).toBe(2);
  });
});

describe('it ends', () => {
  it('without an error when the signal aborts, also while it waits', async () => {
    const { key } = await makeAccount(world);
    const stop = new AbortController();
    const { options } = reader(key);
    const ended = followEvents(options, { signal: stop.signal }).next();

    stop.abort();

    expect(await ended).toEqual({ done: true, value: undefined });
    expect(await followEvents(options, { signal: stop.signal }).next()).toEqual({ done: true, value: undefined });
  });

  it('with the error of the service when the key is revoked', async () => {
    const account = await makeAccount(world);
    const { id, secret } = await world.key({ accountId: account.id });
    const { options } = reader(secret);
    let opened = () => {};
    const isOpen = new Promise<void>((resolve) => (opened = resolve));
    // The stream may end before the deletion is answered.
    const failed = followEvents(options, { onPosition: () => opened() })
      .next()
      .catch((error: unknown) => error);
    await isOpen;

    await world.rest(`DELETE /keys/${id}`, { key: account.key });

    expect(await failed).toMatchObject({ name: 'CarillonError', status: 401, body: { error: 'unauthorized' } });
  });

  it('with an error for a position that the service does not know', async () => {
    const ended = followEvents(reader(world.liveKey).options, { lastEventId: 'nonsense' }).next();

    await expect(ended).rejects.toThrow(CarillonError);
    await expect(ended).rejects.toThrow('Last-Event-ID: expected the last id that this stream sent');
  });

  it('with an error when nothing answers the first four times', async () => {
    const { options, requests } = reader(
      world.liveKey,
      Array.from({ length: 9 }, () => 'refused' as const),
    );

    await expect(followEvents(options).next()).rejects.toThrow(NoAnswerError);
    expect(requests).toHaveLength(4);
  });

  it('at the first failure when one try is allowed', async () => {
    const { options, requests } = reader(world.liveKey, ['refused', 'refused']);

    await expect(followEvents(options, { tries: 1 }).next()).rejects.toThrow(NoAnswerError);
    expect(requests).toHaveLength(1);
  });

  it('and closes its connection when the loop is left', async () => {
    const { key } = await accountWithSandbox(world);
    const { options } = reader(key);
    for (let round = 0; round < 8; round += 1) {
      const lastEventId = await anchor(key);
      await makePost(world, 'sandbox', { key });
      // More than five streams of a key at once are refused.
      for await (const event of followEvents(options, { lastEventId })) {
        expect(event.event).toBe('post.sent');
        break;
      }
    }
  });
});

/** The position of the present, so that what happens next is in the stream. */
async function anchor(key: string): Promise<string> {
  const stop = new AbortController();
  let last = '';
  const onPosition = (id: string) => {
    last = id;
    stop.abort();
  };
  await followEvents({ url: world.url, apiKey: key }, { signal: stop.signal, onPosition }).next();
  return last;
}
