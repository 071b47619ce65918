/** Nostr: keys, images, sign-ins, and what the answers of several relays mean together. */
import { afterAll, describe, expect, it } from 'vitest';
import { neventOf, npubOf, readSecretKey } from '../../platforms/nostr/identifiers.ts';
import { publicKeyOf } from '../../platforms/nostr/event.ts';
import { plain } from '../harness/images.ts';
import { START } from '../harness/test-clock.ts';
import { startWorld } from '../harness/world.ts';
import { type FakeNostr, startFakeNostr } from './fakes/fake-nostr.ts';

const SECRET_KEY = '67dea2ed018072d675f5415ecfaed7d2597555e202d85b3d65ea4e58d2d92ffa';
const options = { now: () => START };
const [near, far, members] = await Promise.all([
  startFakeNostr({ ...options, limitation: { max_content_length: 900, max_message_length: 65_536 } }),
  startFakeNostr({ ...options, limitation: { max_content_length: 700 } }),
  startFakeNostr({ ...options, wantsAuth: true }),
]);
afterAll(() => Promise.all([near.close(), far.close(), members.close()]));
const world = await startWorld({ env: { NOSTR_MEDIA_URL: near.url, NOSTR_WEB_URL: 'https://web.example' } });

async function connect(slug: string, relays: readonly string[], secretKey = SECRET_KEY) {
  const { id: profileId } = await world.profile();
  const body = { platformId: 'nostr', credentials: { secretKey, relays: relays.join(', ') }, slug, profileId };
  return world.rest('POST /connections', { body });
}

const post = async (slug: string, text: string, more: object = {}) =>
  (await world.rest('POST /posts', { body: { text, connectionSlugs: [slug], ...more } })).body.results[0];

describe('identifiers', () => {
  // The examples of NIP-19.
  const NSEC = 'nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5';
  const NPUB = 'npub10elfcs4fr0l0r8af98jlmgdh9c8tcxjvz9qkw038js35mp4dma8qzvjptg';
  const PUBLIC_KEY = '7e7e9c42a91bfef19fa929e5fda1b72e0ebc1a4c1141673e2794234d86addf4e';

  it('are read and written as NIP-19 has them', () => {
    expect([readSecretKey(NSEC), readSecretKey(` ${SECRET_KEY.toUpperCase()} `)]).toEqual([SECRET_KEY, SECRET_KEY]);
    expect(npubOf(PUBLIC_KEY)).toBe(NPUB);
    expect(neventOf('0'.repeat(64), PUBLIC_KEY)).toMatch(/^nevent1[a-z0-9]{100,}$/);
  });

  it.each([NPUB, 'nsec1wrong', `${NSEC}x`, SECRET_KEY.slice(1), ''])('%j is no secret key', (text) => {
    expect(readSecretKey(text)).toBe(undefined);
  });
});

describe('connecting', () => {
  it('reads the name of the profile and the strictest limits of the relays', async () => {
    const pubkey = publicKeyOf(SECRET_KEY);
    const profile = {
      id: 'f'.repeat(64),
      pubkey,
      created_at: 1,
      kind: 0,
      tags: [],
      content: '{"name":"Alice"}',
      sig: '',
    };
    near.events.push(profile);

    const { status, body } = await connect('two', [near.relay, far.relay]);

    expect([status, body.connection]).toEqual([200, expect.objectContaining({ platformId: 'nostr', handle: 'Alice' })]);
    const { error } = await post('two', 'n'.repeat(351));
    expect(error.message).toContain('at most 350');
  });

  it.each([
    ['a key that is none', 'nsec1wrong', 'wss://relay.example', 'secretKey'],
    ['an address of another kind', SECRET_KEY, 'https://relay.example', 'relays'],
    [
      'too many relays',
      SECRET_KEY,
      Array.from({ length: 11 }, (_, index) => `wss://${index}.example`).join(' '),
      'relays',
    ],
  ])('refuses %s, and repeats no key', async (_what, secretKey, relays, field) => {
    const { status, body } = await connect('refused', [relays], secretKey);

    expect([status, body.error, body.message]).toEqual([400, 'invalid_request', expect.stringContaining(field)]);
    expect(JSON.stringify(body)).not.toContain(secretKey.slice(0, 20));
  });
});

describe('a post', () => {
  it('is the same event on each relay, with a permalink', async () => {
    const { url, status } = await post('two', 'To both');

    const [one, other] = [near, far].map(({ events }) => events.find(({ content }) => content === 'To both'));
    expect([status, one?.id]).toEqual(['sent', other?.id]);
    expect(url).toBe(`https://web.example/${neventOf(one?.id ?? '', publicKeyOf(SECRET_KEY))}`);
    expect(one?.created_at).toBe(START.getTime() / 1_000);
  });

  it('names its images in the text, and describes them in tags', async () => {
    const raw = await plain(12, 8).png().toBuffer();
    const { body } = await world.rest('POST /media', { raw, headers: { 'content-type': 'image/png' } });

    await post('two', 'Seen', { media: [{ id: body.media.id, altText: 'A bell' }] });

    const event = near.events.find(({ content }) => content.startsWith('Seen'));
    const [[sha256, address]] = [...near.images] as [[string, string]];
    expect(event?.content).toBe(`Seen\n\n${address}`);
    expect(event?.tags).toEqual([
      ['imeta', `url ${address}`, 'm image/png', `x ${sha256}`, 'dim 12x8', 'alt A bell'],
      ['nonce', expect.stringMatching(/^[0-9a-f-]{36}$/)],
    ]);
  });

  it('signs in where the relay asks for it', async () => {
    expect((await connect('members', [members.relay])).status).toBe(200);

    expect(await post('members', 'Inside')).toMatchObject({ status: 'sent', error: null });
    expect(members.events.map(({ content }) => content)).toEqual(['Inside']);
  });

  it('is sent when one relay takes it and the other refuses', async () => {
    near.refusals.push('blocked: no bells');

    expect(await post('two', 'One is enough')).toMatchObject({ status: 'sent', error: null });
    expect(far.events.filter(({ content }) => content === 'One is enough')).toHaveLength(1);
  });

  it('that every relay refuses fails with the words of each', async () => {
    near.refusals.push('blocked: no bells');
    far.refusals.push('pow: 28 bits needed');

    const { status, error } = await post('two', 'Nowhere');

    expect([status, error.code]).toEqual(['failed', 'platform_rejected']);
    expect(error.message).toContain(`${near.relay} refused: blocked: no bells`);
    expect(error.message).toContain(`${far.relay} refused: pow: 28 bits needed`);
  });

  it('that one relay refuses goes out when the other, which asked to wait, accepts it later', async () => {
    near.refusals.push('rate-limited: slow down');
    far.refusals.push('blocked: members only', 'blocked: members only');
    const scheduledFor = new Date(world.clock.now().getTime() + 60_000).toISOString();
    const body = { text: 'Later', connectionSlugs: ['two'], scheduledFor };
    const { postId } = (await world.rest('POST /posts', { body })).body.results[0];

    await world.advance(60_000);
    const waiting = (await world.rest(`GET /posts/${postId}`)).body.post;
    await world.advance(60_000);

    expect(waiting.status).toBe('scheduled');
    expect((await world.rest(`GET /posts/${postId}`)).body.post).toMatchObject({ status: 'sent', error: null });
    expect(near.events.filter(({ content }) => content === 'Later')).toHaveLength(1);
  });
});

describe('a server for images that refuses', () => {
  const MINUTE_MS = 60_000;

  async function scheduled(slug: string, refusal: FakeNostr['imageRefusals'][number]) {
    await connect(slug, [far.relay]);
    const raw = await plain(9, 9).png().toBuffer();
    const { body } = await world.rest('POST /media', { raw, headers: { 'content-type': 'image/png' } });
    const due = world.clock.now().getTime() + MINUTE_MS;
    near.imageRefusals.push(refusal);
    const { postId } = await post(slug, slug, {
      media: [{ id: body.media.id }],
      scheduledFor: new Date(due).toISOString(),
    });
    await world.advance(MINUTE_MS);
    const { body: read } = await world.rest(`GET /posts/${postId}`);
    const repeatedAfterMs = new Date(read.post.scheduledFor).getTime() - due;
    return { status: read.post.status, error: read.post.error, repeatedAfterMs };
  }

  it.each([429, 503])('for now is called again when it asks for it: HTTP %i', async (status) => {
    const headers = { 'retry-after': '600', 'x-reason': 'slow down' };

    expect(await scheduled(`waiting-${status}`, { status, headers })).toEqual({
      status: 'scheduled',
      error: null,
      repeatedAfterMs: 10 * MINUTE_MS,
    });
  });

  it('an image with the answer of a proxy is called again', async () => {
    // Later than the tests after this one: their refusals are theirs.
    const headers = { 'retry-after': '600' };

    expect(await scheduled('behind-a-proxy', { status: 404, headers })).toEqual({
      status: 'scheduled',
      error: null,
      repeatedAfterMs: 10 * MINUTE_MS,
    });
  });

  it('an image for good refuses the post, with its reason', async () => {
    const { status, error } = await scheduled('refused-image', { status: 415, headers: { 'x-reason': 'no bells' } });

    expect([status, error.code]).toEqual(['failed', 'platform_rejected']);
    expect(error.message).toContain('The server for images refused: no bells');
  });
});

let added = 0;

/** Stores what a stranger did, at second 1 unless `second` says otherwise. */
function addEvent(
  { events }: FakeNostr,
  { second = 1, ...event }: { kind: number; content: string; tags: string[][]; second?: number },
): void {
  added += 1;
  const id = String(added).padStart(64, '0');
  events.push({ id, pubkey: 'a'.repeat(64), created_at: second, sig: '', ...event });
}

const like = (relay: FakeNostr, postId: string, second: number) =>
  addEvent(relay, { kind: 7, content: '+', tags: [['e', postId]], second });

describe('metrics', () => {
  it('count likes, reposts and direct replies, and no dislike, mention or answer to another post', async () => {
    const relay = await startFakeNostr(options);
    afterAll(() => relay.close());
    await connect('counted', [relay.relay]);
    const { postId } = await post('counted', 'Ding');
    const [id, other] = [relay.events.at(-1)?.id ?? '', 'a'.repeat(64)];
    const add = (kind: number, content: string, ...tags: string[][]) => addEvent(relay, { kind, content, tags });
    add(7, '+', ['e', id]);
    add(7, '🔔', ['e', other], ['e', id]);
    add(7, '-', ['e', id]);
    add(7, '+', ['e', id], ['e', other]);
    add(6, '', ['e', id, 'wss://relay.example']);
    add(1, 'An answer', ['e', id, '', 'root']);
    add(1, 'An old answer', ['e', other], ['e', id]);
    add(1, 'An answer within a thread', ['e', other, '', 'root'], ['e', id, '', 'reply']);
    add(1, 'An answer to an answer', ['e', id, '', 'root'], ['e', other, '', 'reply']);
    add(1, 'A mention', ['e', id, '', 'mention']);

    await world.advance(3_600_000);

    const { body } = await world.rest(`GET /posts/${postId}/metrics`);
    expect(body).toMatchObject({ latest: { likes: 2, reposts: 1, replies: 3 } });
  });

  it('count more than a relay gives at once, also when a page ends within a second', async () => {
    const relay = await startFakeNostr({ ...options, limitation: { max_limit: 100 } });
    afterAll(() => relay.close());
    await connect('popular', [relay.relay]);
    const { postId } = await post('popular', 'Ding dong');
    const id = relay.events.at(-1)?.id ?? '';
    for (let number = 0; number < 1_234; number += 1) like(relay, id, 1 + Math.floor(number / 70));

    await world.advance(3_600_000);

    const { body } = await world.rest(`GET /posts/${postId}/metrics`);
    expect(body).toMatchObject({ latest: { likes: 1_234 } });
  });

  it('never fall while a relay does not answer, or beyond what is read of one', async () => {
    const [relay, second] = await Promise.all([startFakeNostr(options), startFakeNostr(options)]);
    afterAll(() => relay.close());
    await connect('steady', [relay.relay, second.relay]);
    const { postId } = await post('steady', 'Dong');
    const id = relay.events.at(-1)?.id ?? '';
    for (let number = 0; number < 5; number += 1) like(second, id, number);
    addEvent(relay, { kind: 6, content: '', tags: [['e', id]] });
    const latest = async () => (await world.rest(`GET /posts/${postId}/metrics`)).body.latest;
    await world.advance(3_600_000);
    expect(await latest()).toMatchObject({ likes: 5, reposts: 1, replies: 0 });

    await second.close();
    for (let number = 0; number < 5_000; number += 1)
      addEvent(relay, { kind: 1, content: '', tags: [['e', id]], second: 9 + number });
    await world.advance(3_600_000);

    expect(await latest()).toMatchObject({ likes: 5, reposts: 1, replies: 5_000 });
  });
});
