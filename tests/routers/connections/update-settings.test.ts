/** PATCH /connections/{connectionId}/settings changes label, slug and AI polish of a connection. */
import { describe, expect, it } from 'vitest';
import { makeAccount } from '../../harness/accounts.ts';
import { accountWithSandbox, connectSandbox, storeBluesky } from '../../harness/connections.ts';
import { UNKNOWN_ID, refusal } from '../../harness/expected.ts';
import { makePost, sandboxOf } from '../../harness/posts.ts';
import { createProfile } from '../../harness/profiles.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();

const change = (id: string, key: string, body: object) =>
  world.rest(`PATCH /connections/${id}/settings`, { key, body });

describe('200', () => {
  it('changes only the fields that are sent', async () => {
    const { key, connection } = await accountWithSandbox(world);
    const { id, slug } = connection;

    const answers = [
      await change(id, key, { description: '  Town bells ' }),
      await change(id, key, { rewriteMode: 'on' }),
      await change(id, key, { slug: 'bells-2', rewriteMode: 'off' }),
      await change(id, key, { slug: 'bells-2', rewriteMode: 'inherit' }),
    ];

    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [200, { connection: { id, slug, description: 'Town bells', rewriteMode: 'inherit' } }],
      [200, { connection: { id, slug, description: 'Town bells', rewriteMode: 'on' } }],
      [200, { connection: { id, slug: 'bells-2', description: 'Town bells', rewriteMode: 'off' } }],
      [200, { connection: { id, slug: 'bells-2', description: 'Town bells', rewriteMode: 'inherit' } }],
    ]);
    expect((await world.rest(`GET /connections/${id}`, { key })).body).toEqual({
      connection: { ...connection, slug: 'bells-2', description: 'Town bells' },
    });
  });

  it('still sends scheduled posts, and accepts new posts only under the new slug', async () => {
    const { key, connection } = await accountWithSandbox(world);
    const scheduledFor = new Date(world.clock.now().getTime() + 3_600_000).toISOString();
    const { postId } = await makePost(world, 'sandbox', { key, scheduledFor });

    await change(connection.id, key, { slug: 'bells' });
    const before = await world.rest('POST /posts', { key, body: { text: 'Old', connectionSlugs: ['sandbox'] } });
    const after = await makePost(world, 'bells', { key });
    await world.advance(3_600_000);

    expect([before.status, before.body.error, after.status]).toEqual([400, 'invalid_connection', 'sent']);
    const { body } = await world.rest(`GET /posts/${postId}`, { key });
    expect(body.post).toMatchObject({ status: 'sent', connectionSlug: 'sandbox' });
    expect(await sandboxOf(world, connection.id)).toHaveLength(2);
  });

  it('frees the old slug, and allows the same slug in different profiles', async () => {
    const { key, connection } = await accountWithSandbox(world);
    const profile = await createProfile(world, key);
    const inside = await connectSandbox(world, { key, profileId: profile.id, slug: 'inside' });

    await change(connection.id, key, { slug: 'bells' });
    const same = await change(inside.id, key, { slug: 'bells' });

    expect([same.status, same.body.connection.slug]).toEqual([200, 'bells']);
    expect((await connectSandbox(world, { key })).slug).toBe('sandbox');
  });
});

describe('400 invalid_request', () => {
  it.each<[string, object, string]>([
    ['an empty body', {}, 'body: name at least one of description, slug, rewriteMode.'],
    ['a blank description', { description: ' ' }, 'description: expected at least 1 character.'],
    ['a long description', { description: 'd'.repeat(201) }, 'description: expected at most 200 characters.'],
    [
      'a slug with capitals',
      { slug: 'Bells' },
      'slug: expected lowercase letters, digits and dashes, such as "bluesky-news".',
    ],
    ['a slug of 81 characters', { slug: 's'.repeat(81) }, 'slug: expected at most 80 characters.'],
    ['another mode', { rewriteMode: true }, 'rewriteMode: expected one of inherit, on, off.'],
    ['a field of the queue', { paused: true }, 'body: expected no field called "paused".'],
  ])('refuses %s, and changes nothing', async (_case, changes, message) => {
    const { key, connection } = await accountWithSandbox(world);

    const { status, body } = await change(connection.id, key, changes);

    expect([status, body.error, body.message]).toEqual([400, 'invalid_request', message]);
    expect((await world.rest(`GET /connections/${connection.id}`, { key })).body).toEqual({ connection });
  });
});

describe('403 forbidden', () => {
  it('refuses a scoped key, also within its profile', async () => {
    const { id: accountId, key } = await makeAccount(world);
    const profile = await createProfile(world, key);
    const { id } = await connectSandbox(world, { key, profileId: profile.id });
    const { secret } = await world.key({ accountId, profileId: profile.id });

    const { status, body } = await change(id, secret, { description: 'Mine' });

    const message =
      'This key or access token is limited to one profile; this operation needs one that reaches the whole account.';
    expect([status, body]).toEqual([403, refusal('forbidden', message)]);
  });
});

describe('404 not_found', () => {
  it('has one body for an unknown, another account’s, a deleted and, with a test key, a real connection', async () => {
    const { id: accountId, key, connection } = await accountWithSandbox(world);
    const foreign = await accountWithSandbox(world);
    await world.rest(`DELETE /connections/${connection.id}`, { key });
    const real = await storeBluesky(world, accountId);
    const testKey = (await world.key({ accountId, type: 'test' })).secret;

    const asked: [string, string][] = [
      [UNKNOWN_ID, key],
      [foreign.connection.id, key],
      [connection.id, key],
      [real.id, testKey],
    ];
    for (const [id, asking] of asked) {
      const { status, body } = await change(id, asking, { description: 'Mine' });
      expect([status, body]).toEqual([404, refusal('not_found', `No connection of yours has the id ${id}.`)]);
    }
  });
});

describe('409 connection_conflict', () => {
  it('refuses the slug of another connection in the same profile, and changes nothing', async () => {
    const { key, connection } = await accountWithSandbox(world);
    await connectSandbox(world, { key, slug: 'bells' });

    const { status, body } = await change(connection.id, key, { slug: 'bells', description: 'New' });

    const message =
      'Your own accounts already hold a connection with the slug "bells"; give one of the two another slug.';
    expect([status, body]).toEqual([409, refusal('connection_conflict', message)]);
    expect((await world.rest(`GET /connections/${connection.id}`, { key })).body).toEqual({ connection });
  });

  it('answers two connections that swap slugs concurrently without a server error', async () => {
    const { key } = await makeAccount(world);
    const one = await connectSandbox(world, { key, slug: 'one' });
    const two = await connectSandbox(world, { key, slug: 'two' });

    const answers = await Promise.all([change(one.id, key, { slug: 'two' }), change(two.id, key, { slug: 'one' })]);

    expect(answers.map(({ status }) => status)).toEqual([409, 409]);
  });

  it('gives a slug to one of many concurrent requests', async () => {
    const { key } = await makeAccount(world);
    const ids = [];
    for (let count = 0; count < 4; count += 1) ids.push((await connectSandbox(world, { key })).id);

    const answers = await Promise.all(ids.map((id) => change(id, key, { slug: 'bells' })));

    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409]);
  });
});
