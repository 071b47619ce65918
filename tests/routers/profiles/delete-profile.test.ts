/** DELETE /profiles/{profileId} ends everything that could act for the profile. Sent posts stay readable. */
import { describe, expect, it } from 'vitest';
import { makeAccount } from '../../harness/accounts.ts';
import { connectSandbox, storeBluesky } from '../../harness/connections.ts';
import { refusal, UUID } from '../../harness/expected.ts';
import { eventsAbout, makePost, sandboxOf } from '../../harness/posts.ts';
import { createProfile } from '../../harness/profiles.ts';
import { registerWebhook, startReceiver } from '../../harness/receiver.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();

/** An account with a profile that has two connections, and one connection without a profile. */
async function tenant() {
  const account = await makeAccount(world);
  const profile = await createProfile(world, account.key, { externalId: 'customer' });
  const inside = [
    await connectSandbox(world, { key: account.key, profileId: profile.id, slug: 'one' }),
    await connectSandbox(world, { key: account.key, profileId: profile.id, slug: 'two' }),
  ];
  const outside = await connectSandbox(world, { key: account.key, slug: 'own' });
  return { ...account, profile, inside, outside };
}

const later = () => new Date(world.clock.now().getTime() + 3_600_000).toISOString();

describe('200', () => {
  it('disconnects and counts the connections of the profile, and emits connection.removed for each', async () => {
    const { id: accountId, key, profile, inside, outside } = await tenant();
    const deletedAt = world.clock.now().toISOString();

    const { status, body } = await world.rest(`DELETE /profiles/${profile.id}`, { key });

    expect(status).toBe(200);
    expect(body).toEqual({ id: profile.id, deleted: true, removedConnections: 2 });
    expect((await world.rest('GET /connections', { key })).body).toEqual({ connections: [outside], nextCursor: null });
    for (const { id, slug } of inside) {
      expect(await world.sql('select credentials from connections where id = $1', [id])).toEqual([
        { credentials: null },
      ]);
      const [, ...removed] = await eventsAbout(world, id);
      expect(removed).toEqual([
        {
          id: UUID,
          account_id: accountId,
          profile_id: profile.id,
          name: 'connection.removed',
          mode: 'live',
          payload: {
            connection: { id, profileId: profile.id, connectSessionId: null, platformId: 'sandbox', slug },
          },
          created_at: deletedAt,
        },
      ]);
    }
  });

  it('cancels pending posts, keeps drafts, and does not change other connections', async () => {
    const { key, profile, inside } = await tenant();
    const scheduledFor = later();
    const waiting = await makePost(world, 'one', { key, scheduledFor });
    const kept = await makePost(world, 'own', { key, scheduledFor });
    const draft = await world.rest('POST /posts', {
      key,
      body: { text: 'Draft', connectionSlugs: ['two'], isDraft: true },
    });

    await world.rest(`DELETE /profiles/${profile.id}`, { key });
    await world.advance(3_600_000);

    const { body } = await world.rest('GET /posts', { key });
    expect(body.posts).toMatchObject([
      { id: draft.body.results[0].postId, status: 'draft' },
      { id: kept.postId, status: 'sent' },
      { id: waiting.postId, status: 'cancelled' },
    ]);
    expect(await sandboxOf(world, inside[0]?.id ?? '')).toEqual([]);
  });

  it('keeps sent posts readable', async () => {
    const { key, profile } = await tenant();
    const { postId } = await makePost(world, 'one', { key });
    const before = await world.rest(`GET /posts/${postId}`, { key });

    await world.rest(`DELETE /profiles/${profile.id}`, { key });

    const after = await world.rest(`GET /posts/${postId}`, { key });
    expect([after.status, after.body]).toEqual([200, before.body]);
    expect(after.body.post.profileId).toBe(profile.id);
  });

  it('revokes only the keys of the profile', async () => {
    const { id: accountId, key, profile } = await tenant();
    const sibling = await createProfile(world, key);
    const live = await world.key({ accountId, profileId: profile.id });
    const test = await world.key({ accountId, profileId: profile.id, type: 'test' });
    const spared = await world.key({ accountId, profileId: sibling.id });

    await world.rest(`DELETE /profiles/${profile.id}`, { key });

    const statuses = [];
    for (const { secret } of [live, test, spared]) {
      statuses.push((await world.rest('GET /connections', { key: secret })).status);
    }
    expect(statuses).toEqual([401, 401, 200]);
  });

  it('ends the webhooks of the profile, fails their queued deliveries, and notifies other webhooks', async () => {
    const { id: accountId, key, profile } = await tenant();
    const live = (await world.key({ accountId, profileId: profile.id })).secret;
    const test = (await world.key({ accountId, profileId: profile.id, type: 'test' })).secret;
    const [inside, outside] = [await startReceiver(500), await startReceiver()];
    const ended = [
      await registerWebhook(world, inside.url, { key: live }),
      await registerWebhook(world, inside.url, { key: test }),
    ];
    const kept = await registerWebhook(world, outside.url, { key, events: ['connection.removed'] });
    const { body } = await world.rest(`POST /webhooks/${ended[0]?.id}/test`, { key });
    await world.runDue();
    await world.rest(`POST /webhooks/${ended[1]?.id}/test`, { key });
    const attempts = inside.received.length;

    await world.rest(`DELETE /profiles/${profile.id}`, { key });
    await world.advance(86_400_000);

    expect(inside.received).toHaveLength(attempts);
    expect((await world.rest('GET /webhooks', { key })).body.webhooks.map(({ id }: { id: string }) => id)).toEqual([
      kept.id,
    ]);
    expect((await world.rest(`GET /webhooks/${ended[0]?.id}/deliveries`, { key })).status).toBe(404);
    expect(
      await world.sql(
        'select status, attempts, last_error, claim from deliveries where webhook_id = any($1) order by id',
        [ended.map(({ id }) => id)],
      ),
    ).toEqual([
      { status: 'failed', attempts: 1, last_error: 'The profile of the webhook was deleted.', claim: null },
      { status: 'failed', attempts: 0, last_error: 'The profile of the webhook was deleted.', claim: null },
    ]);
    expect(body.delivery.status).toBe('pending');
    expect(outside.received.map(({ body: { event } }) => event)).toEqual(['connection.removed', 'connection.removed']);
    expect(await world.sql('select secret from webhooks where profile_id = $1', [profile.id])).toEqual([
      { secret: null },
      { secret: null },
    ]);
  });

  it('leaves no webhook that was being registered concurrently', async () => {
    const { key, id: accountId } = await makeAccount(world);
    const profile = await createProfile(world, key);
    const { secret } = await world.key({ accountId, profileId: profile.id });
    const register = () => world.rest('POST /webhooks', { key: secret, body: { url: 'http://127.0.0.1:9/hook' } });

    const answers = await Promise.all([
      register(),
      register(),
      world.rest(`DELETE /profiles/${profile.id}`, { key }),
      register(),
      register(),
    ]);

    expect((await world.rest('GET /webhooks', { key })).body.webhooks).toEqual([]);
    expect(answers.map(({ status }) => status).filter((status) => ![200, 401].includes(status))).toEqual([]);
  });

  it('removes nothing from an empty profile', async () => {
    const profile = await createProfile(world, world.liveKey);

    const { body } = await world.rest(`DELETE /profiles/${profile.id}`);

    expect(body).toEqual({ id: profile.id, deleted: true, removedConnections: 0 });
  });

  it('lets one of several concurrent deletes succeed, with one event for each connection', async () => {
    const { key, profile, inside } = await tenant();

    const answers = await Promise.all([1, 2, 3].map(() => world.rest(`DELETE /profiles/${profile.id}`, { key })));

    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404, 404]);
    for (const { id } of inside) {
      expect((await eventsAbout(world, id)).map(({ name }) => name)).toEqual([
        'connection.created',
        'connection.removed',
      ]);
    }
  });

  it('leaves no connection that was being connected concurrently', async () => {
    const { key } = await makeAccount(world);
    const profile = await createProfile(world, key);
    const connect = () =>
      world.rest('POST /connections', {
        key,
        body: { platformId: 'sandbox', credentials: {}, profileId: profile.id },
      });

    const [, , deleted] = await Promise.all([
      connect(),
      connect(),
      world.rest(`DELETE /profiles/${profile.id}`, { key }),
      connect(),
      connect(),
    ]);

    expect(deleted.status).toBe(200);
    expect((await world.rest('GET /connections', { key })).body).toEqual({ connections: [], nextCursor: null });
  });
});

describe('403 forbidden', () => {
  it('prevents a test key from deleting objects outside its scope', async () => {
    const { id: accountId, key } = await makeAccount(world);
    const testKey = await world.key({ accountId, type: 'test' });
    const profile = await createProfile(world, key);
    await storeBluesky(world, accountId, { profileId: profile.id });
    await world.key({ accountId, profileId: profile.id });

    const { status, body } = await world.rest(`DELETE /profiles/${profile.id}`, { key: testKey.secret });

    const message = `The profile ${profile.id} holds what a test key does not reach (connections beyond the sandbox: 1, live keys: 1, agents: 0, live webhooks: 0, live calendars: 0, open live connect sessions: 0), so a test key cannot delete it; use a live key.`;
    expect([status, body]).toEqual([403, refusal('forbidden', message)]);
    expect((await world.rest('GET /connections', { key })).body.connections).toHaveLength(1);
  });

  it('prevents a test key from ending live connect sessions and calendars, until they have ended', async () => {
    const { id: accountId, key } = await makeAccount(world);
    const { secret: testKey } = await world.key({ accountId, type: 'test' });
    const profile = await createProfile(world, key);
    const wanted = { platform: 'bluesky', redirectUrl: 'https://app.example/connected' };
    await world.rest(`POST /profiles/${profile.id}/connect`, { key, body: wanted });
    const { body: made } = await world.rest('POST /calendars', { key, body: { name: 'Bells', profileId: profile.id } });
    const remove = () => world.rest(`DELETE /profiles/${profile.id}`, { key: testKey });

    const refused = await remove();
    world.clock.advance(60 * 60_000);
    const withCalendar = await remove();
    await world.rest(`DELETE /calendars/${made.calendar.id}`, { key });

    const refusalWith = (sessions: number) =>
      refusal(
        'forbidden',
        `The profile ${profile.id} holds what a test key does not reach (connections beyond the sandbox: 0, live keys: 0, agents: 0, live webhooks: 0, live calendars: 1, open live connect sessions: ${sessions}), so a test key cannot delete it; use a live key.`,
      );
    expect([refused.body, withCalendar.body]).toEqual([refusalWith(1), refusalWith(0)]);
    expect((await remove()).body).toEqual({ id: profile.id, deleted: true, removedConnections: 0 });
  });

  it('lets a test key delete a profile with sandboxes and test keys', async () => {
    const { id: accountId, key } = await makeAccount(world);
    const testKey = await world.key({ accountId, type: 'test' });
    const profile = await createProfile(world, key);
    const { id } = await connectSandbox(world, { key, profileId: profile.id });
    await world.key({ accountId, profileId: profile.id, type: 'test' });

    const { body } = await world.rest(`DELETE /profiles/${profile.id}`, { key: testKey.secret });

    expect(body).toEqual({ id: profile.id, deleted: true, removedConnections: 1 });
    expect((await eventsAbout(world, id)).map(({ name, mode }) => [name, mode])).toEqual([
      ['connection.created', 'live'],
      ['connection.removed', 'test'],
    ]);
  });
});
