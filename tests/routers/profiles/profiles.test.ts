/** POST, GET and PATCH of profiles: required permissions, unique fields, and the limit on their number. */
import { describe, expect, it } from 'vitest';
import { makeAccount } from '../../harness/accounts.ts';
import { connectSandbox } from '../../harness/connections.ts';
import { UNKNOWN_ID, refusal, UUID } from '../../harness/expected.ts';
import { createProfile, fillWithProfiles } from '../../harness/profiles.ts';
import { START } from '../../harness/test-clock.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();

const notFound = (id: string) => refusal('not_found', `No profile of yours has the id ${id}.`);
const conflict = (externalId: string) =>
  refusal('profile_external_id_conflict', `externalId: another profile of yours has "${externalId}" already.`);

/** The number of answers with each status. */
function tally(answers: readonly { status: number }[]): Record<number, number> {
  const groups = Map.groupBy(answers, ({ status }) => status);
  return Object.fromEntries([...groups].map(([status, all]) => [status, all.length]));
}

describe('POST 200', () => {
  it('creates a profile with a trimmed name and an unchanged externalId', async () => {
    const { key } = await makeAccount(world);

    const { status, body } = await world.rest('POST /profiles', {
      key,
      body: { name: '  Acme Bells ', externalId: ' Customer 42 ' },
    });

    expect(status).toBe(200);
    expect(body).toEqual({
      profile: { id: UUID, name: 'Acme Bells', externalId: ' Customer 42 ', createdAt: START.toISOString() },
    });
  });

  it('creates any number without an externalId, and one with the same externalId in each account', async () => {
    const [one, other] = [await makeAccount(world), await makeAccount(world)];

    const made = [
      await createProfile(world, one.key),
      await createProfile(world, one.key),
      await createProfile(world, one.key, { externalId: 'same' }),
      await createProfile(world, other.key, { externalId: 'same' }),
    ];

    expect(made.map(({ externalId }) => externalId)).toEqual([null, null, 'same', 'same']);
  });

  it('lets an unscoped test key create profiles', async () => {
    const { id: accountId } = await makeAccount(world);
    const testKey = await world.key({ accountId, type: 'test' });

    expect(await createProfile(world, testKey.secret)).toMatchObject({ name: 'Acme' });
  });
});

describe('POST 400 invalid_request', () => {
  it.each<[string, object, string]>([
    ['no name', {}, 'name: expected a string.'],
    ['a blank name', { name: '   ' }, 'name: expected at least 1 character.'],
    ['a name of 101 characters', { name: 'n'.repeat(101) }, 'name: expected at most 100 characters.'],
    ['an empty externalId', { name: 'A', externalId: '' }, 'externalId: expected at least 1 character.'],
    [
      'an externalId of 201 characters',
      { name: 'A', externalId: 'x'.repeat(201) },
      'externalId: expected at most 200 characters.',
    ],
    ['a NUL in the name', { name: 'A\u0000' }, 'name: expected text without NUL and without broken surrogate pairs.'],
    ['a misspelt field', { name: 'A', externalID: 'x' }, 'body: expected no field called "externalID".'],
  ])('refuses %s', async (_case, fields, message) => {
    const { status, body } = await world.rest('POST /profiles', { body: fields });

    expect([status, body.error, body.message]).toEqual([400, 'invalid_request', message]);
  });
});

describe('POST 403 limit_exceeded', () => {
  it('limits an account to 1,000 profiles, exactly, under concurrent requests', async () => {
    const { id: accountId, key } = await makeAccount(world);
    await fillWithProfiles(world, accountId, 997);

    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => world.rest('POST /profiles', { key, body: { name: `P${index}` } })),
    );

    expect(tally(answers)).toEqual({ 200: 3, 403: 5 });
    const message = 'The account has 1000 profiles; the limit is 1000. Delete one first.';
    const bodies = answers.filter(({ status }) => status === 403).map(({ body }) => body);
    expect(bodies).toEqual(bodies.map(() => refusal('limit_exceeded', message)));
  });

  it('does not count deleted profiles', async () => {
    const { id: accountId, key } = await makeAccount(world);
    await fillWithProfiles(world, accountId, 999);
    const last = await createProfile(world, key);
    const full = await world.rest('POST /profiles', { key, body: { name: 'One more' } });

    await world.rest(`DELETE /profiles/${last.id}`, { key });

    expect([full.status, full.body.error]).toEqual([403, 'limit_exceeded']);
    expect(await createProfile(world, key, { name: 'One more' })).toMatchObject({ name: 'One more' });
  });
});

describe('409 profile_external_id_conflict', () => {
  it('gives an externalId to one of many concurrent requests', async () => {
    const { key } = await makeAccount(world);

    const answers = await Promise.all(
      Array.from({ length: 6 }, () => world.rest('POST /profiles', { key, body: { name: 'A', externalId: 'one' } })),
    );

    expect(tally(answers)).toEqual({ 200: 1, 409: 5 });
    const bodies = answers.filter(({ status }) => status === 409).map(({ body }) => body);
    expect(bodies).toEqual(bodies.map(() => conflict('one')));
  });

  it('is the answer to a PATCH to the externalId of another profile, which changes nothing', async () => {
    const { key } = await makeAccount(world);
    await createProfile(world, key, { externalId: 'taken' });
    const profile = await createProfile(world, key, { externalId: 'mine' });

    const { status, body } = await world.rest(`PATCH /profiles/${profile.id}`, {
      key,
      body: { name: 'New', externalId: 'taken' },
    });

    expect([status, body]).toEqual([409, conflict('taken')]);
    expect((await world.rest(`GET /profiles/${profile.id}`, { key })).body).toEqual({ profile });
  });

  it('is the answer to both of two profiles that swap externalIds concurrently', async () => {
    const { key } = await makeAccount(world);
    const one = await createProfile(world, key, { externalId: 'one' });
    const two = await createProfile(world, key, { externalId: 'two' });
    const rename = (id: string, externalId: string) =>
      world.rest(`PATCH /profiles/${id}`, { key, body: { externalId } });

    const answers = await Promise.all([rename(one.id, 'two'), rename(two.id, 'one')]);

    expect(answers.map(({ status }) => status)).toEqual([409, 409]);
  });

  it('is not the answer after the other profile was deleted or its externalId was cleared', async () => {
    const { key } = await makeAccount(world);
    const deleted = await createProfile(world, key, { externalId: 'first' });
    const changed = await createProfile(world, key, { externalId: 'second' });

    await world.rest(`DELETE /profiles/${deleted.id}`, { key });
    await world.rest(`PATCH /profiles/${changed.id}`, { key, body: { externalId: null } });

    expect(await createProfile(world, key, { externalId: 'first' })).toMatchObject({ externalId: 'first' });
    expect(await createProfile(world, key, { externalId: 'second' })).toMatchObject({ externalId: 'second' });
  });
});

describe('GET /profiles 200', () => {
  it('lists the account’s active profiles, newest first, in pages', async () => {
    const { key } = await makeAccount(world);
    const other = await makeAccount(world);
    await createProfile(world, other.key);
    const made = [];
    for (const name of ['One', 'Two', 'Three', 'Four']) made.push(await createProfile(world, key, { name }));
    await world.rest(`DELETE /profiles/${made[1]?.id}`, { key });

    const all = await world.rest('GET /profiles', { key });
    const page = await world.rest('GET /profiles?limit=1&offset=1', { key });

    expect(all.body).toEqual({ profiles: [made[3], made[2], made[0]], limit: 25, offset: 0, nextCursor: null });
    expect(page.body).toEqual({ profiles: [made[2]], limit: 1, offset: 1, nextCursor: made[2]?.id });
  });
});

describe('GET /profiles by cursor and by externalId', () => {
  it('lists every profile once, and finds the one with an externalId', async () => {
    const { key } = await makeAccount(world);
    const made: { id: string }[] = [];
    for (const externalId of ['one', 'two', 'three']) made.unshift(await createProfile(world, key, { externalId }));

    const first = await world.rest('GET /profiles?limit=2', { key });
    const second = await world.rest(`GET /profiles?limit=2&cursor=${first.body.nextCursor}`, { key });
    const found = await world.rest('GET /profiles?externalId=two', { key });
    const none = await world.rest('GET /profiles?externalId=Two', { key });

    expect(first.body).toEqual({ profiles: made.slice(0, 2), limit: 2, offset: 0, nextCursor: made[1]?.id });
    expect(second.body).toEqual({ profiles: made.slice(2), limit: 2, offset: 0, nextCursor: null });
    expect([found.body.profiles, none.body.profiles]).toEqual([[made[1]], []]);
  });

  it('never finds another account’s', async () => {
    const [one, other] = [await makeAccount(world), await makeAccount(world)];
    await createProfile(world, other.key, { externalId: 'theirs' });

    const { body } = await world.rest('GET /profiles?externalId=theirs', { key: one.key });

    expect(body.profiles).toEqual([]);
  });

  it('treats a null externalId as absent, so that clients can send back what they read', async () => {
    const { key } = await makeAccount(world);

    const made = await world.rest('POST /profiles', { key, body: { name: 'Acme', externalId: null } });

    expect([made.status, made.body.profile.externalId]).toEqual([200, null]);
  });
});

describe('GET /profiles 400 invalid_request', () => {
  it.each([
    [`cursor=${UNKNOWN_ID}&offset=1`, 'cursor: cannot be combined with offset; send one of the two.'],
    ['externalId=', 'externalId: expected at least 1 character.'],
    ['limit=0', 'limit: expected at least 1.'],
    ['limit=101', 'limit: expected at most 100.'],
    ['limit=ten', 'limit: expected a number.'],
    ['offset=-1', 'offset: expected at least 0.'],
  ])('refuses %s', async (search, message) => {
    const { status, body } = await world.rest(`GET /profiles?${search}`);

    expect([status, body.error, body.message]).toEqual([400, 'invalid_request', message]);
  });
});

describe('PATCH 200', () => {
  it('changes only the fields that are sent, and does not change connections', async () => {
    const { key } = await makeAccount(world);
    const profile = await createProfile(world, key, { name: 'Old', externalId: 'x-1' });
    const connection = await connectSandbox(world, { key, profileId: profile.id });
    const path = `/profiles/${profile.id}` as const;

    const named = await world.rest(`PATCH ${path}`, { key, body: { name: ' New ' } });
    const kept = await world.rest(`PATCH ${path}`, { key, body: { externalId: 'x-1' } });
    const removed = await world.rest(`PATCH ${path}`, { key, body: { externalId: null } });

    expect(named.body).toEqual({ profile: { ...profile, name: 'New' } });
    expect(kept.body).toEqual({ profile: { ...profile, name: 'New' } });
    expect(removed.body).toEqual({ profile: { ...profile, name: 'New', externalId: null } });
    expect((await world.rest(`GET ${path}`, { key })).body).toEqual(removed.body);
    expect((await world.rest('GET /connections', { key })).body).toEqual({
      connections: [connection],
      nextCursor: null,
    });
  });
});

describe('PATCH 400 invalid_request', () => {
  it.each<[string, object, string]>([
    ['an empty body', {}, 'body: name at least one of name, externalId.'],
    ['null for the name', { name: null }, 'name: expected a string.'],
    ['an empty externalId', { externalId: '' }, 'externalId: expected at least 1 character.'],
  ])('refuses %s', async (_case, changes, message) => {
    const profile = await createProfile(world, world.liveKey);

    const { status, body } = await world.rest(`PATCH /profiles/${profile.id}`, { body: changes });

    expect([status, body.error, body.message]).toEqual([400, 'invalid_request', message]);
  });
});

describe('a scoped key', () => {
  it('reads its own profile, and gets the same 404 for existing and missing others', async () => {
    const { id: accountId, key } = await makeAccount(world);
    const [own, sibling] = [await createProfile(world, key), await createProfile(world, key)];
    const { secret } = await world.key({ accountId, profileId: own.id });

    const read = await world.rest(`GET /profiles/${own.id}`, { key: secret });

    expect([read.status, read.body]).toEqual([200, { profile: own }]);
    for (const id of [sibling.id, UNKNOWN_ID]) {
      const { status, body } = await world.rest(`GET /profiles/${id}`, { key: secret });
      const message = `This key or access token is limited to the profile ${own.id}. For ${id}, use one that reaches the whole account.`;
      expect([status, body]).toEqual([403, refusal('forbidden', message)]);
    }
  });

  it('cannot manage profiles, including its own', async () => {
    const { id: accountId, key } = await makeAccount(world);
    const own = await createProfile(world, key);
    const { secret } = await world.key({ accountId, profileId: own.id });

    const answers = [
      await world.rest('GET /profiles', { key: secret }),
      await world.rest('POST /profiles', { key: secret, body: { name: 'Mine' } }),
      await world.rest(`PATCH /profiles/${own.id}`, { key: secret, body: { name: 'Mine' } }),
      await world.rest(`DELETE /profiles/${own.id}`, { key: secret }),
    ];

    const message =
      'This key or access token is limited to one profile; this operation needs one that reaches the whole account.';
    expect(answers.map(({ status, body }) => [status, body])).toEqual(
      answers.map(() => [403, refusal('forbidden', message)]),
    );
    expect((await world.rest('GET /profiles', { key })).body.profiles).toEqual([own]);
  });
});

describe('404 not_found', () => {
  it('has the same body for an unknown profile, another account’s and a deleted one', async () => {
    const [{ key }, other] = [await makeAccount(world), await makeAccount(world)];
    const foreign = await createProfile(world, other.key);
    const deleted = await createProfile(world, key);
    await world.rest(`DELETE /profiles/${deleted.id}`, { key });

    for (const id of [UNKNOWN_ID, foreign.id, deleted.id]) {
      const answers = [
        await world.rest(`GET /profiles/${id}`, { key }),
        await world.rest(`PATCH /profiles/${id}`, { key, body: { name: 'Mine' } }),
        await world.rest(`DELETE /profiles/${id}`, { key }),
      ];
      expect(answers.map(({ status, body }) => [status, body])).toEqual(answers.map(() => [404, notFound(id)]));
    }
    expect((await world.rest('GET /profiles', { key: other.key })).body.profiles).toEqual([foreign]);
  });
});
