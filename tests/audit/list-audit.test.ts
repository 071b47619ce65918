/**
 * GET /audit: newest first, paginated and filtered. It lists only the caller's own entries and keeps them for 400 days.
 */
import { describe, expect, it } from 'vitest';
import { type AuditFilter, auditQuery } from '../../services/audit/list-audit.ts';
import { makeAccount } from '../harness/accounts.ts';
import { UNKNOWN_ID, refusal } from '../harness/expected.ts';
import { START } from '../harness/test-clock.ts';
import { startWorld, type World } from '../harness/world.ts';

const world = await startWorld();
const DAY = 86_400_000;

const at = (ms: number) => new Date(START.getTime() + ms).toISOString();

/**
 * An account with a profile, and three changes one minute apart: a create, a rename, and a refused delete of an
 * unknown profile.
 */
async function accountWithChanges(in_: World = world) {
  const account = await makeAccount(in_);
  const { key } = account;
  const { body } = await in_.rest('POST /profiles', { key, body: { name: 'A' } });
  in_.clock.advance(60_000);
  await in_.rest(`PATCH /profiles/${body.profile.id}`, { key, body: { name: 'B' } });
  in_.clock.advance(60_000);
  await in_.rest(`DELETE /profiles/${UNKNOWN_ID}`, { key });
  return { ...account, profileId: body.profile.id as string };
}

const list = (key: string, search = '') => world.rest(`GET /audit${search}`, { key });
const operationsOf = (body: { entries: { operation: string }[] }) =>
  body.entries.map(({ operation }) => operation.slice('profiles.'.length));

describe('200', () => {
  it('lists the operations of one account, newest first, and none of another account', async () => {
    const { key } = await accountWithChanges();
    const other = await makeAccount(world);

    const { status, body } = await list(key);

    expect(status).toBe(200);
    expect([operationsOf(body), body.limit, body.nextCursor]).toEqual([['delete', 'update', 'create'], 25, null]);
    expect((await list(other.key)).body).toEqual({ entries: [], limit: 25, nextCursor: null });
  });

  it('continues after the last entry of the previous page', async () => {
    const { key } = await accountWithChanges();

    const first = await list(key, '?limit=2');
    const second = await list(key, `?limit=2&startingAfter=${first.body.nextCursor}`);

    expect(operationsOf(first.body)).toEqual(['delete', 'update']);
    expect(first.body.nextCursor).toBe(first.body.entries[1].id);
    expect([operationsOf(second.body), second.body.nextCursor]).toEqual([['create'], null]);
  });

  it('continues after an entry without an account and shows none of another account', async () => {
    const { key } = await accountWithChanges();
    const other = await accountWithChanges();
    const [newest] = (await list(other.key)).body.entries;

    const { body } = await list(key, `?startingAfter=${newest.id}`);

    expect(operationsOf(body)).toEqual(['delete', 'update', 'create']);
    expect((await list(key, `?objectId=${other.profileId}`)).body.entries).toEqual([]);
  });

  it('filters by actor, operation, object, outcome and time', async () => {
    const start = world.clock.now().getTime() - START.getTime();
    const { key, profileId } = await accountWithChanges();
    const [{ actor }] = (await list(key)).body.entries;
    const narrowed = async (search: string) => operationsOf((await list(key, search)).body);

    expect(await narrowed('?actorKind=key')).toEqual(['delete', 'update', 'create']);
    expect(await narrowed('?actorKind=operator')).toEqual([]);
    expect(await narrowed(`?actorId=${actor.id}&operation=profiles.update`)).toEqual(['update']);
    expect(await narrowed(`?actorId=${UNKNOWN_ID}`)).toEqual([]);
    expect(await narrowed(`?objectId=${profileId}`)).toEqual(['update', 'create']);
    expect(await narrowed('?outcome=not_found')).toEqual(['delete']);
    expect(await narrowed('?outcome=none')).toEqual([]);
    expect(await narrowed(`?since=${at(start + 60_000)}`)).toEqual(['delete', 'update']);
    expect(await narrowed(`?until=${at(start + 60_000)}`)).toEqual(['create']);
    // Ids begin in 1970, and the database has no year 0.
    expect(await narrowed('?since=0000-01-01T00:00:00Z')).toEqual(['delete', 'update', 'create']);
    expect(await narrowed('?until=1969-12-31T23:59:59Z')).toEqual([]);
    expect(await narrowed(`?since=${at(start + 1)}&until=${at(start + 120_000)}`)).toEqual(['update']);
  });

  it('still lists the operations on a profile that is deleted', async () => {
    const { key, profileId } = await accountWithChanges();

    await world.rest(`DELETE /profiles/${profileId}`, { key });

    const { body } = await list(key, `?objectId=${profileId}`);
    expect(operationsOf(body)).toEqual(['delete', 'update', 'create']);
  });
});

describe('pages', () => {
  it('accepts a cursor, also under its older name', async () => {
    const { key } = await accountWithChanges();
    const first = await list(key, '?limit=1');

    const [next, older, same] = await Promise.all(
      ['cursor', 'startingAfter', `cursor=${first.body.nextCursor}&startingAfter`].map((name) =>
        list(key, `?limit=1&${name}=${first.body.nextCursor}`),
      ),
    );

    expect(operationsOf(next?.body)).toEqual(['update']);
    expect([older?.body, same?.body]).toEqual([next?.body, next?.body]);
  });
});

describe('400', () => {
  it.each<[string, string]>([
    [
      `cursor=${UNKNOWN_ID}&startingAfter=${UNKNOWN_ID.replace('1', '2')}`,
      'cursor: cannot be combined with startingAfter',
    ],
    ['since=yesterday', 'since: expected an instant such as 2026-11-21T09:00:00Z'],
    ['outcome=fine', 'outcome: expected one of'],
    ['limit=101', 'limit: expected'],
    ['objectId=1', 'objectId: expected a UUID'],
  ])('%s', async (search, message) => {
    const { status, body } = await list(world.liveKey, `?${search}`);

    expect(status).toBe(400);
    expect(body).toMatchObject(refusal('invalid_request', expect.stringContaining(message) as unknown as string));
  });
});

describe('with many entries', () => {
  it('reads each page from an index', async () => {
    await using full = await startWorld();
    const { id } = await makeAccount(full);
    await full.sql(
      `insert into audit_entries (id, account_id, at, actor_kind, actor_id, actor_name, surface, operation, object_type,
         object_ids, outcome, mode)
       select lpad(to_hex(n), 32, '0')::uuid, case n % 50 when 0 then $1::uuid else a.id end, $2, 'key', (n / 50 % 100)::text,
         'A key', 'rest', case n / 50 % 200 when 0 then 'keys.mint' else 'posts.create' end, 'post',
         array[lpad(to_hex(n / 50), 32, '0')::uuid], case n / 50 % 150 when 0 then 'forbidden' else 'ok' end, 'live'
       from generate_series(1, 30000) n, (select id from accounts order by id limit 1) a`,
      [id, full.clock.now()],
    );
    await full.sql('analyze audit_entries');
    const planOf = async (filter: Omit<AuditFilter, 'limit'>, accountId = id) => {
      const { sql, parameters } = auditQuery(full.db.em(), accountId, { limit: 25, ...filter }).compile();
      const plan = await full.sql<{ 'QUERY PLAN': string }>(`explain ${sql}`, parameters);
      return plan.map((row) => row['QUERY PLAN']).join('\n');
    };

    expect(await planOf({})).toMatch(/Index Scan Backward using audit_entries_account_id_id_index/);
    expect(await planOf({ since: START })).toMatch(/Index Scan/);
    expect(await planOf({ actorId: '7' })).toMatch(
      /Index Scan Backward using audit_entries_account_id_actor_id_id_index/,
    );
    expect(await planOf({ actorKind: 'operator' })).toMatch(/audit_entries_other_actors_index/);
    expect(await planOf({ operation: 'keys.mint' })).toMatch(/audit_entries_account_id_operation_id_index/);
    expect(await planOf({ outcome: 'forbidden' })).toMatch(/audit_entries_not_ok_index/);
    expect(await planOf({ outcome: 'none' })).toMatch(/audit_entries_not_ok_index/);
    expect(await planOf({ objectId: UNKNOWN_ID })).toMatch(/audit_entries_object_ids_index/);
    // The account that has most entries, which may all be old.
    const [other] = await full.sql<{ id: string }>(
      'select account_id as id from audit_entries where account_id <> $1 limit 1',
      [id],
    );
    expect(await planOf({}, other?.id)).toMatch(/audit_entries_account_id_id_index/);
  });
});

describe('retention', () => {
  it('keeps entries for 400 days, and removes older ones in any number', async () => {
    await using old = await startWorld();
    const { key, id } = await accountWithChanges(old);
    await old.sql(
      `insert into audit_entries (id, account_id, at, actor_kind, actor_id, actor_name, surface, operation, object_ids, mode)
       select lpad(to_hex(n), 32, '0')::uuid, $1, $2, 'key', 'k', 'A key', 'rest', 'posts.create', '{}', 'live'
       from generate_series(1, 2500) n`,
      [id, new Date(0)],
    );
    const left = async () => operationsOf((await old.rest('GET /audit', { key })).body);

    old.clock.set(new Date(START.getTime() + 400 * DAY));
    await old.housekeep();
    expect(await left()).toEqual(['delete', 'update', 'create']);
    old.clock.set(new Date(START.getTime() + 400 * DAY + 60_001));
    await old.housekeep();

    expect(await left()).toEqual(['delete']);
    expect(await old.sql('select 1 from audit_entries where actor_id = $1', ['k'])).toEqual([]);
  });
});
