/** GET /owner/events: the stream of the console of a signed-in person. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { type EventMessage, eventMessages } from '../../client/event-messages.ts';
import type { Browser } from '../harness/browser.ts';
import { refusal } from '../harness/expected.ts';
import { OWNER_ENV, signedInBrowser } from '../harness/owner.ts';
import { PUBLIC_URL, startWorld } from '../harness/world.ts';

const world = await startWorld({ env: OWNER_ENV });

/** The headers that a script of our page sends. */
async function headersOf(browser: Browser): Promise<Record<string, string>> {
  const { text } = await browser.get('/');
  const csrf = /<meta name="carillon-csrf" content="([^"]+)"/.exec(text)?.[1] ?? '';
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  return { cookie, 'x-carillon-csrf': csrf, 'sec-fetch-site': 'same-origin', origin: PUBLIC_URL };
}

function open(headers: Record<string, string>): Promise<Response> {
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  return fetch(`${world.url}/owner/events`, { headers, signal: leaving.signal });
}

/** Opens the stream and waits until it is established. */
async function follow(headers: Record<string, string>) {
  const response = await open(headers);
  const messages = eventMessages(response.body as ReadableStream<Uint8Array>);
  await messages.next();
  // The order between events and changes varies, so what was not asked for stays until it is.
  const unread: EventMessage[] = [];
  const next = async (event: string): Promise<EventMessage> => {
    for (;;) {
      const index = unread.findIndex((message) => message.event === event);
      const [found] = index === -1 ? [] : unread.splice(index, 1);
      if (found !== undefined) return found;
      const { value, done } = await messages.next();
      if (done === true) throw new Error('the stream has ended');
      unread.push(value);
    }
  };
  const isOver = async () => {
    for (;;) if ((await messages.next()).done === true) return true;
  };
  return { response, next, isOver };
}

describe('200', () => {
  it('streams the events of the account, and every completed change', async () => {
    const stream = await follow(await headersOf(await signedInBrowser(world)));

    const { body } = await world.rest('POST /posts', { body: { text: 'Ding', connectionSlugs: [world.sandboxSlug] } });
    const { body: made } = await world.rest('POST /profiles', { body: { name: 'A customer' } });

    const sent = await stream.next('post.sent');
    expect(JSON.parse(sent.data ?? '').post.id).toBe(body.results[0].postId);
    expect(sent.id).toMatch(/^[0-9a-f-]{36}$/);
    const changes = [await stream.next('change'), await stream.next('change')];
    expect(changes.map(({ data }) => JSON.parse(data ?? ''))).toEqual([
      { operation: 'posts.create', objectType: 'post', objectIds: [body.results[0].postId] },
      { operation: 'profiles.create', objectType: 'profile', objectIds: [made.profile.id] },
    ]);
    expect(changes.map(({ id }) => id)).toEqual([undefined, undefined]);
    expect(stream.response.headers.get('cache-control')).toBe('no-store');
  });

  it('streams the events that a webhook has to name, such as what only workers cause', async () => {
    const { secret: agent } = await world.key({ approval: 'required' });
    const body = { text: 'Ding', connectionSlugs: [world.sandboxSlug] };
    const { postId, approval } = (await world.rest('POST /posts', { key: agent, body })).body.results[0];
    const stream = await follow(await headersOf(await signedInBrowser(world)));

    await world.advance(Date.parse(approval.expiresAt) - world.clock.now().getTime());

    const { data } = await stream.next('post.approval_expired');
    expect(JSON.parse(data ?? '').post.id).toBe(postId);
  });

  it('reports no change that was refused, nor one from before', async () => {
    await world.rest('POST /profiles', { body: { name: 'Before' } });
    const stream = await follow(await headersOf(await signedInBrowser(world)));

    await world.rest('POST /profiles', { body: { name: '' } });
    const { body } = await world.rest('POST /profiles', { body: { name: 'After' } });

    const { data } = await stream.next('change');
    expect(JSON.parse(data ?? '').objectIds).toEqual([body.profile.id]);
  });
});

describe('the end', () => {
  it('comes when the person signs out', async () => {
    const browser = await signedInBrowser(world);
    const headers = await headersOf(browser);
    const stream = await follow(headers);

    await browser.post('/sign-out', { csrf: headers['x-carillon-csrf'] ?? '' });

    expect(await stream.isOver()).toBe(true);
  });
});

describe('a stream is refused', () => {
  it.each<[string, (headers: Record<string, string>) => Record<string, string>, number]>([
    ['without a sign-in', (headers) => ({ ...headers, cookie: '' }), 401],
    ['without the token of the page', (headers) => ({ ...headers, 'x-carillon-csrf': '' }), 403],
    ['from another site', (headers) => ({ ...headers, 'sec-fetch-site': 'cross-site' }), 403],
    ['with a key', () => ({ 'x-api-key': world.liveKey }), 401],
  ])('%s', async (_case, forge, status) => {
    const headers = await headersOf(await signedInBrowser(world));

    const response = await open(forge(headers));

    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toContain('application/json');
  });

  it('400 for a position that never was', async () => {
    const headers = await headersOf(await signedInBrowser(world));

    const response = await open({ ...headers, 'last-event-id': '01a202f3-8cd8-701b-b6cc-408cab47ea77' });

    expect([response.status, await response.json()]).toEqual([
      400,
      refusal('invalid_request', expect.stringContaining('Last-Event-ID')),
    ]);
  });
});
