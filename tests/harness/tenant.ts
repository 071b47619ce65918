/** An account with everything that access checks use: two profiles, a key of every kind, and objects in each place. */
import { makeAccount } from './accounts.ts';
import { connectSandbox, storeBluesky } from './connections.ts';
import { plain } from './images.ts';
import type { World } from './world.ts';

/**
 * The columns of the table. `live` and `test` reach the account, `liveA` and `testA` profile A, `liveB` another
 * profile. `other` is an account key in live mode of another account, and `none` is no key.
 */
export const KEYS = ['live', 'liveA', 'liveB', 'test', 'testA', 'other', 'revoked', 'none'] as const;

/** An account with two profiles, and the objects that a row requires in it. */
export type Tenant = Awaited<ReturnType<typeof makeTenant>>;

export type Place = 'A' | 'own';

export const IMAGE = await plain(4, 4).png().toBuffer();

export async function makeTenant(world: World) {
  const account = await makeAccount(world);
  const [a, b] = [await world.profile('A', account.id), await world.profile('B', account.id)];
  const key = (type: 'live' | 'test', profileId: string | null) =>
    world.key({ accountId: account.id, type, profileId });
  const revoked = await key('live', null);
  await world.sql('update api_keys set revoked_at = created_at where id = $1', [revoked.id]);
  const secrets: Record<(typeof KEYS)[number], string | null> = {
    live: account.key,
    liveA: (await key('live', a.id)).secret,
    liveB: (await key('live', b.id)).secret,
    test: (await key('test', null)).secret,
    testA: (await key('test', a.id)).secret,
    other: (await makeAccount(world)).key,
    revoked: revoked.secret,
    none: null,
  };
  const profileOf = (place: Place) => (place === 'A' ? { profileId: a.id } : {});
  const connection = (place: Place) => connectSandbox(world, { key: account.key, slug: 'bells', ...profileOf(place) });
  return {
    a,
    b,
    secrets,
    key,
    connection,
    /** A connection in A that is not a sandbox. */
    bluesky: () => storeBluesky(world, account.id, { profileId: a.id }),
    /** Turns the live keys of a profile into test keys. */
    withoutLiveKeys: async (profileId: string): Promise<void> => {
      await world.sql(`update api_keys set type = 'test' where profile_id = $1`, [profileId]);
    },
    /** Id of a connect session of A that an account key created. */
    connectSession: async (kind: 'live' | 'test'): Promise<string> => {
      const body = { redirectUrl: 'https://app.example/done' };
      const answer = await world.rest(`POST /profiles/${a.id}/connect`, { key: secrets[kind], body });
      return answer.body.connectSessionId;
    },
    /** Id of a webhook that such a key registered. */
    webhook: async (kind: 'live' | 'liveA' | 'test' | 'testA'): Promise<string> => {
      const body = { url: 'http://127.0.0.1:9/hook' };
      return (await world.rest('POST /webhooks', { key: secrets[kind], body })).body.webhook.id;
    },
    /** Id of a feed that such a key added, for a sandbox that the key reaches. */
    feed: async (kind: 'live' | 'liveA' | 'test' | 'testA'): Promise<string> => {
      const { slug } = await connection(kind.endsWith('A') ? 'A' : 'own');
      const body = { url: 'http://127.0.0.1:9/feed.xml', connectionSlugs: [slug] };
      return (await world.rest('POST /feeds', { key: secrets[kind], body })).body.feed.id;
    },
    /** Id of an import that such a key started. */
    import: async (kind: 'live' | 'liveA' | 'test' | 'testA'): Promise<string> => {
      const body = { format: 'csv', content: `text,connections\n${kind},bells\n` };
      return (await world.rest('POST /imports', { key: secrets[kind], body })).body.import.id;
    },
    /** Id of a calendar that such a key made. */
    calendar: async (kind: 'live' | 'liveA' | 'test' | 'testA'): Promise<string> => {
      return (await world.rest('POST /calendars', { key: secrets[kind], body: {} })).body.calendar.id;
    },
    /** Id of a delivery that is queued for a webhook. */
    delivery: async (webhookId: string): Promise<string> => {
      return (await world.rest(`POST /webhooks/${webhookId}/test`, { key: account.key })).body.delivery.id;
    },
    /** Id of a post to a sandbox in that profile; sent unless the fields say otherwise. */
    post: async (place: Place, fields: object = {}): Promise<string> => {
      const { slug } = await connection(place);
      const body = { text: 'Ding', connectionSlugs: [slug], ...profileOf(place), ...fields };
      const answer = await world.rest('POST /posts', { key: account.key, body });
      return answer.body.results[0].postId;
    },
    /** Id of a stop of the account. */
    stop: async (): Promise<string> => (await world.rest('POST /stops', { key: account.key, body: {} })).body.stop.id,
    /** Id of a key of the account that has a policy. */
    policy: async (): Promise<string> => {
      const { id } = await world.key({ accountId: account.id });
      await world.rest(`PUT /policies/${id}`, { key: account.key, body: { postsPerDay: 3 } });
      return id;
    },
    /** Id of a post to a sandbox in that profile that waits for approval. */
    asked: async (place: Place): Promise<string> => {
      const { slug } = await connection(place);
      const asking = await world.key({ accountId: account.id, approval: 'required' });
      const body = { text: 'May I?', connectionSlugs: [slug], ...profileOf(place) };
      const answer = await world.rest('POST /posts', { key: asking.secret, body });
      return answer.body.results[0].postId;
    },
    /** A connection in that profile with two posts in its queue, named in the other order. */
    queue: async (place: Place): Promise<{ connectionId: string; postIds: string[] }> => {
      const { id, slug } = await connection(place);
      const slots = [1, 2].map((weekday) => ({ weekday, time: '09:00' }));
      await world.rest(`PATCH /connections/${id}/queue`, { key: account.key, body: { slots } });
      const postIds: string[] = [];
      for (const text of ['Ding', 'Dong']) {
        const body = { text, connectionSlugs: [slug], queue: true, ...profileOf(place) };
        const answer = await world.rest('POST /posts', { key: account.key, body });
        postIds.unshift(answer.body.results[0].postId);
      }
      return { connectionId: id, postIds };
    },
    /** Id of an image that was uploaded with a key of that place. */
    image: async (place: Place): Promise<string> => {
      const uploader = place === 'A' ? secrets.liveA : secrets.live;
      const headers = { 'content-type': 'image/png' };
      const { body } = await world.rest('POST /media', { key: uploader, raw: IMAGE, headers });
      return body.media.id;
    },
  };
}
