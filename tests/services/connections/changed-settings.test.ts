/** Connecting a working account again changes the settings that its credentials hold: the relays of Nostr. */
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { makeAccount } from '../../harness/accounts.ts';
import { refusal, UUID } from '../../harness/expected.ts';
import { eventsAbout } from '../../harness/posts.ts';
import { startWorld } from '../../harness/world.ts';
import { type FakeNostr, startFakeNostr } from '../../platforms/fakes/fake-nostr.ts';

const SECRET_KEY = '67dea2ed018072d675f5415ecfaed7d2597555e202d85b3d65ea4e58d2d92ffa';
const HOUR = 3_600_000;
const now = () => world.clock.now();
const [before, after] = [
  await startFakeNostr({ now, limitation: { max_content_length: 5_000 } }),
  await startFakeNostr({ now, limitation: { max_content_length: 900 } }),
];
afterAll(() => Promise.all([before.close(), after.close()]));
const world = await startWorld();

let key: string;
let accountId: string;
beforeEach(async () => {
  ({ id: accountId, key } = await makeAccount(world));
  for (const { events } of [before, after]) events.length = 0;
});

/** @param more further fields of the request, and the key to make it with */
async function connect(relay: string, { as = key, ...more }: { as?: string; [field: string]: unknown } = {}) {
  const body = { platformId: 'nostr', credentials: { secretKey: SECRET_KEY, relays: relay }, ...more };
  return world.rest('POST /connections', { key: as, body });
}

const read = async (id: string) => (await world.rest(`GET /connections/${id}`, { key })).body;
const listed = async () => (await world.rest('GET /connections', { key })).body.connections;
const notesOn = ({ events }: FakeNostr) => events.filter(({ kind }) => kind === 1).map(({ content }) => content);

async function post(text: string, more: object = {}) {
  const { body } = await world.rest('POST /posts', { key, body: { text, connectionSlugs: ['bells'], ...more } });
  return body.results[0];
}

describe('a working account', () => {
  it('gets the new relays, and keeps its id, slug and queue, without an event', async () => {
    const first = await connect(before.relay, { slug: 'bells', description: 'The bells' });
    const { id } = first.body.connection;
    const slots = [{ weekday: 1, time: '09:00' }];
    await world.rest(`PATCH /connections/${id}/queue`, { key, body: { slots, timezone: 'Europe/Berlin' } });
    const stored = await read(id);

    const again = await connect(after.relay);

    expect(again.status).toBe(200);
    expect(again.body).toEqual(stored);
    expect(stored.connection).toMatchObject({ id: UUID, slug: 'bells', description: 'The bells', queueSlots: slots });
    expect(await listed()).toEqual([stored.connection]);
    expect((await eventsAbout(world, id)).map(({ name }) => name)).toEqual(['connection.created']);
    expect(await post('Ding')).toMatchObject({ status: 'sent', error: null });
    expect([notesOn(before), notesOn(after)]).toEqual([[], ['Ding']]);
    expect((await post('n'.repeat(901))).error.message).toContain('at most');
  });

  it('keeps its waiting posts, which go to the new relays', async () => {
    await connect(before.relay, { slug: 'bells' });
    const { postId } = await post('Later', { scheduledFor: new Date(now().getTime() + HOUR).toISOString() });

    await connect(after.relay);
    await world.advance(HOUR);

    const { body } = await world.rest(`GET /posts/${postId}`, { key });
    expect(body.post).toMatchObject({ status: 'sent', error: null });
    expect([notesOn(before), notesOn(after)]).toEqual([[], ['Later']]);
  });

  it('may be named by its own slug', async () => {
    const { body } = await connect(before.relay, { slug: 'bells' });

    expect(await connect(after.relay, { slug: 'bells' })).toMatchObject({ status: 200, body });
  });

  it('is one connection also when several requests connect it at once', async () => {
    const answers = await Promise.all([connect(before.relay), connect(after.relay), connect(after.relay)]);

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(answers.map(({ body }) => body.connection.id)).size).toBe(1);
    expect(await listed()).toHaveLength(1);
  });

  it('keeps the metrics of posts that went out before', async () => {
    const like = (relay: FakeNostr, id: string) =>
      relay.events.push({
        id: id.replace(/^./, 'f'),
        pubkey: 'a'.repeat(64),
        created_at: 1,
        kind: 7,
        tags: [['e', id]],
        content: '+',
        sig: '',
      });
    const latest = async (postId: string) => (await world.rest(`GET /posts/${postId}/metrics`, { key })).body.latest;
    await connect(before.relay, { slug: 'bells' });
    const old = await post('Before');
    like(before, before.events.at(-1)?.id ?? '');
    await world.advance(HOUR);
    await connect(after.relay);
    const recent = await post('After');
    like(after, after.events.at(-1)?.id ?? '');
    await world.advance(HOUR);
    expect([await latest(old.postId), await latest(recent.postId)]).toMatchObject([{ likes: 1 }, { likes: 1 }]);

    after.events.pop();
    await world.advance(HOUR);

    expect([await latest(old.postId), await latest(recent.postId)]).toMatchObject([{ likes: 1 }, { likes: 0 }]);
  });
});

describe('nothing changes for', () => {
  it('a request with the slug of another connection, which is a conflict', async () => {
    await connect(before.relay, { slug: 'bells' });

    const { status, body } = await connect(after.relay, { slug: 'others' });

    const message = expect.stringMatching(/^The Nostr account npub1\S+ is already connected here; use that connection/);
    expect([status, body]).toEqual([409, refusal('connection_conflict', message as unknown as string)]);
    await post('Ding');
    expect([notesOn(before), notesOn(after)]).toEqual([['Ding'], []]);
  });

  it('relays that do not answer', async () => {
    await connect(before.relay, { slug: 'bells' });

    const { status, body } = await connect(`${after.relay} ws://127.0.0.1:9`);

    expect([status, body.error]).toEqual([422, 'platform_rejected']);
    await post('Ding');
    expect([notesOn(before), notesOn(after)]).toEqual([['Ding'], []]);
  });

  it('the same account in another profile, and of another caller', async () => {
    const first = await connect(before.relay, { slug: 'bells' });
    const { id: profileId } = await world.profile('Acme', accountId);
    const stranger = await makeAccount(world);

    const ofProfile = await connect(after.relay, { profileId });
    const ofStranger = await connect(after.relay, { as: stranger.key });

    expect([ofProfile.status, ofStranger.status]).toEqual([200, 200]);
    expect(new Set([first, ofProfile, ofStranger].map(({ body }) => body.connection.id)).size).toBe(3);
    await post('Ding');
    expect([notesOn(before), notesOn(after)]).toEqual([['Ding'], []]);
  });

  it('a test key and a key of a profile, which connect no accounts of Nostr', async () => {
    await connect(before.relay, { slug: 'bells' });
    const { id: profileId } = await world.profile('Acme', accountId);
    const test = await world.key({ accountId, type: 'test' });
    const scoped = await world.key({ accountId, profileId });

    const answers = [
      await connect(after.relay, { as: test.secret }),
      await connect(after.relay, { as: scoped.secret }),
    ];

    expect(answers.map(({ status, body }) => [status, body.error])).toEqual([
      [403, 'forbidden'],
      [403, 'forbidden'],
    ]);
    await post('Ding');
    expect([notesOn(before), notesOn(after)]).toEqual([['Ding'], []]);
  });
});
