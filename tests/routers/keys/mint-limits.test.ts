/** Limits on the keys of a profile and on the keys an account creates per hour, exact under concurrent requests. */
import { describe, expect, it } from 'vitest';
import { makeAccount } from '../../harness/accounts.ts';
import { refusal } from '../../harness/expected.ts';
import { createProfile } from '../../harness/profiles.ts';
import { type RestAnswer, startWorld } from '../../harness/world.ts';

const world = await startWorld();
const HOUR_MS = 3_600_000;

async function tenant() {
  const account = await makeAccount(world);
  const profile = await createProfile(world, account.key);
  return { ...account, profile };
}

const mint = (profileId: string, key: string, fields: object = {}) =>
  world.rest(`POST /profiles/${profileId}/keys`, { key, body: { name: 'A key', type: 'live', ...fields } });

/** Inserts active keys of a profile directly, with an age at which they do not count toward this hour. */
async function fill(accountId: string, profileId: string, type: 'live' | 'test', count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) await world.key({ accountId, profileId, type });
  const longAgo = new Date(world.clock.now().getTime() - 2 * HOUR_MS);
  await world.sql('update api_keys set created_at = $2 where profile_id = $1', [profileId, longAgo]);
}

const statuses = (answers: readonly RestAnswer[]) => answers.map(({ status }) => status).toSorted((a, b) => a - b);

describe('50 keys of a type in a profile', () => {
  it('is an exact limit under concurrent requests', async () => {
    const { id: accountId, key, profile } = await tenant();
    await fill(accountId, profile.id, 'live', 47);

    const answers = await Promise.all(Array.from({ length: 7 }, () => mint(profile.id, key)));

    expect(statuses(answers)).toEqual([201, 201, 201, 403, 403, 403, 403]);
    const message = `The profile ${profile.id} has 50 live keys; the limit is 50.`;
    const refused = answers.filter(({ status }) => status === 403).map(({ body }) => body);
    expect(refused).toEqual(refused.map(() => refusal('limit_exceeded', message)));
  });

  it('is a separate limit for each type and each profile', async () => {
    const { id: accountId, key, profile } = await tenant();
    await fill(accountId, profile.id, 'live', 50);
    const sibling = await createProfile(world, key);

    const answers = [
      await mint(profile.id, key),
      await mint(profile.id, key, { type: 'test' }),
      await mint(sibling.id, key),
    ];

    expect(answers.map(({ status }) => status)).toEqual([403, 201, 201]);
  });

  it('excludes revoked keys', async () => {
    const { id: accountId, key, profile } = await tenant();
    await fill(accountId, profile.id, 'test', 50);
    const { body } = await world.rest(`GET /profiles/${profile.id}/keys?limit=1`, { key });
    const full = await mint(profile.id, key, { type: 'test' });

    await world.rest(`DELETE /keys/${body.keys[0].id}`, { key });

    expect([full.status, (await mint(profile.id, key, { type: 'test' })).status]).toEqual([403, 201]);
  });
});

describe('20 new keys an hour in an account', () => {
  it('is an exact limit across all profiles and keys, under concurrent requests', async () => {
    const { id: accountId, key, profile } = await tenant();
    const sibling = await createProfile(world, key);
    const other = await world.key({ accountId, type: 'test' });

    const answers = await Promise.all(
      Array.from({ length: 26 }, (_, index) =>
        index % 2 === 0 ? mint(profile.id, key) : mint(sibling.id, other.secret, { type: 'test' }),
      ),
    );

    expect(statuses(answers)).toEqual([
      ...Array.from({ length: 20 }, () => 201),
      ...Array.from({ length: 6 }, () => 429),
    ]);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.map(({ body }) => body)).toEqual(refused.map(() => ({ error: 'too many requests' })));
  });

  it('uses a sliding window: a place is free an hour after a key was created, and Retry-After says when', async () => {
    const { key, profile } = await tenant();
    await mint(profile.id, key);
    world.clock.advance(60_000);
    for (let count = 1; count < 20; count += 1) await mint(profile.id, key);

    const full = await mint(profile.id, key);
    world.clock.advance(HOUR_MS - 60_001);
    const stillFull = await mint(profile.id, key);
    world.clock.advance(1);
    const answers = [await mint(profile.id, key), await mint(profile.id, key)];

    expect([full.status, full.headers.get('retry-after')]).toEqual([429, '3540']);
    expect([stillFull.status, stillFull.headers.get('retry-after')]).toEqual([429, '1']);
    expect(answers.map(({ status }) => status)).toEqual([201, 429]);
  });

  it('includes revoked keys, and excludes refused requests and other accounts', async () => {
    const { key, profile } = await tenant();
    const neighbour = await tenant();
    const { body } = await mint(profile.id, key);
    await world.rest(`DELETE /keys/${body.key.id}`, { key });
    for (let count = 0; count < 5; count += 1) await mint(profile.id, key, { name: '' });
    for (let count = 1; count < 20; count += 1) await mint(profile.id, key);

    const full = await mint(profile.id, key);

    expect([full.status, (await mint(neighbour.profile.id, neighbour.key)).status]).toEqual([429, 201]);
    const { body: listed } = await world.rest('GET /keys?includeRevoked=true&limit=100', { key });
    expect(listed.keys).toHaveLength(21);
  });

  it('keeps the rate limit headers of the key', async () => {
    const { key, profile } = await tenant();
    for (let count = 0; count < 20; count += 1) await mint(profile.id, key);

    const { status, headers } = await mint(profile.id, key);

    expect(status).toBe(429);
    expect(headers.get('x-ratelimit-limit')).toBe('100000');
    expect(headers.get('x-ratelimit-remaining')).toBe(String(100_000 - 21));
  });
});
