/** PATCH /connections/{connectionId} also moves connections that share its credentials, in one transaction. */
import { afterAll, describe, expect, it } from 'vitest';
import { makeAccount } from '../../harness/accounts.ts';
import { connectSandbox } from '../../harness/connections.ts';
import { refusal } from '../../harness/expected.ts';
import { eventsAbout } from '../../harness/posts.ts';
import { createProfile } from '../../harness/profiles.ts';
import { startWorld } from '../../harness/world.ts';
import { startFakeLinkedIn } from '../../platforms/fakes/fake-linkedin.ts';

const linkedin = await startFakeLinkedIn({ now: () => world.clock.now() });
afterAll(() => linkedin.close());
const world = await startWorld({ env: { LINKEDIN_API_URL: linkedin.url } });
const PAGES = ['11', '12'] as const;
for (const id of PAGES) linkedin.addPage(id, `Page ${id}`, `page-${id}`);
for (const name of ['Alice', 'Bob']) {
  const member = linkedin.addMember(name.toLowerCase(), name, `token-of-${name.toLowerCase()}`);
  for (const id of PAGES) member.roles.set(id, 'ADMINISTRATOR');
}

/** An account with two profiles. The first has a member connection and both of its pages. */
async function tenant() {
  const account = await makeAccount(world);
  const { key } = account;
  const [from, to] = [await createProfile(world, key), await createProfile(world, key)];
  const member = await connect(key, from.id);
  const one = await connect(key, from.id, { organizationId: '11' });
  const other = await connect(key, from.id, { organizationId: '12' });
  return { key, from, to, member, one, other };
}

async function connect(key: string, profileId: string | undefined, more: object = {}, name = 'alice') {
  const credentials = { accessToken: `token-of-${name}`, ...more };
  const { status, body } = await world.rest('POST /connections', {
    key,
    body: { platformId: 'linkedin', credentials, ...(profileId !== undefined && { profileId }) },
  });
  if (status !== 200) throw new Error(`LinkedIn was not connected: ${JSON.stringify(body)}`);
  return body.connection as { id: string; slug: string; profileId: string | null };
}

const move = (id: string, key: string, profileId: string | null) =>
  world.rest(`PATCH /connections/${id}`, { key, body: { profileId } });
const placeOf = async (key: string, ids: readonly string[]) => {
  const answers = await Promise.all(ids.map((id) => world.rest(`GET /connections/${id}`, { key })));
  return answers.map(({ body }) => body.connection.profileId as string | null);
};
const history = async (id: string): Promise<[string, string | null][]> =>
  (await eventsAbout(world, id)).map((event) => [event.name, event.profile_id]);

describe('moving a member', () => {
  it('moves its pages too, each with its own two events, in order', async () => {
    const { key, from, to, member, one, other } = await tenant();
    const ids = [member.id, one.id, other.id];

    const { status, body } = await move(member.id, key, to.id);

    expect([status, body]).toEqual([200, { connection: { ...member, profileId: to.id } }]);
    expect(await placeOf(key, ids)).toEqual([to.id, to.id, to.id]);
    for (const id of ids) {
      expect(await history(id)).toEqual([
        ['connection.created', from.id],
        ['connection.removed', from.id],
        ['connection.created', to.id],
      ]);
    }
    const sql = `select subject_id, name from events where subject_id = any($1::uuid[]) order by id`;
    const events = await world.sql<{ subject_id: string; name: string }>(sql, [ids]);
    const pair = (id: string) => [
      { subject_id: id, name: 'connection.removed' },
      { subject_id: id, name: 'connection.created' },
    ];
    expect(events.slice(3)).toEqual(ids.flatMap(pair));
  });

  it('moves its pages back out of the profile', async () => {
    const { key, member, one, other } = await tenant();

    await move(member.id, key, null);

    expect(await placeOf(key, [member.id, one.id, other.id])).toEqual([null, null, null]);
  });

  it('leaves pages in other profiles, deleted pages and pages of other members', async () => {
    const { key, from, to, member, one, other } = await tenant();
    await move(one.id, key, null);
    await world.rest(`DELETE /connections/${other.id}`, { key });
    const ofBob = await connect(key, from.id, { organizationId: '12' }, 'bob');

    await move(member.id, key, to.id);

    expect(await placeOf(key, [member.id, one.id, ofBob.id])).toEqual([to.id, null, from.id]);
    expect((await history(other.id)).map(([name]) => name)).toEqual(['connection.created', 'connection.removed']);
  });

  it('changes nothing if member and pages are already there', async () => {
    const { key, from, member, one } = await tenant();

    await move(member.id, key, from.id);

    expect([await history(member.id), await history(one.id)]).toEqual([
      [['connection.created', from.id]],
      [['connection.created', from.id]],
    ]);
  });
});

describe('moving a page', () => {
  it('moves only that page', async () => {
    const { key, from, to, member, one, other } = await tenant();

    const { status } = await move(one.id, key, to.id);

    expect([status, await placeOf(key, [member.id, one.id, other.id])]).toEqual([200, [from.id, to.id, from.id]]);
  });
});

describe('a page that cannot move', () => {
  it('keeps all of them in place if its slug is in use', async () => {
    const { key, from, to, member, one, other } = await tenant();
    await connectSandbox(world, { key, profileId: to.id, slug: other.slug });

    const { status, body } = await move(member.id, key, to.id);

    const message = `"${other.slug}" shares the credential of "${member.slug}" and would move with it, but cannot: The profile ${to.id} already holds a connection with the slug "${other.slug}"; give one of the two another slug. Nothing was moved.`;
    expect([status, body]).toEqual([409, refusal('connection_conflict', message)]);
    expect(await placeOf(key, [member.id, one.id, other.id])).toEqual([from.id, from.id, from.id]);
    for (const { id } of [member, one, other]) expect(await history(id)).toEqual([['connection.created', from.id]]);
  });

  it('keeps all of them in place if its account is already connected', async () => {
    const { key, from, to, member, one, other } = await tenant();
    const there = await connect(key, to.id, { organizationId: '11' }, 'bob');
    await world.rest(`PATCH /connections/${there.id}/settings`, { key, body: { slug: 'bells' } });

    const { status, body } = await move(member.id, key, to.id);

    const message = `"${one.slug}" shares the credential of "${member.slug}" and would move with it, but cannot: The profile ${to.id} already holds the linkedin account page-11; use that connection, or delete it first. Nothing was moved.`;
    expect([status, body]).toEqual([409, refusal('connection_conflict', message)]);
    expect(await placeOf(key, [member.id, one.id, other.id])).toEqual([from.id, from.id, from.id]);
  });
});

describe('concurrent moves', () => {
  it('of a member and its page leave both where the last move put them, with an event for every step', async () => {
    const { key, from, to, member, one } = await tenant();

    const answers = await Promise.all([
      move(member.id, key, to.id),
      move(one.id, key, null),
      move(member.id, key, null),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    for (const { id } of [member, one]) {
      const steps = await history(id);
      const [place] = await placeOf(key, [id]);
      expect(steps[0]).toEqual(['connection.created', from.id]);
      expect(steps.at(-1)).toEqual(['connection.created', place]);
      for (let step = 1; step < steps.length; step += 2) expect(steps[step]?.[1]).toBe(steps[step - 1]?.[1]);
    }
  });

  it('of two members whose pages have the same slugs let exactly one member move, with all its pages', async () => {
    const { key, from, to, member, one, other } = await tenant();
    const second = await createProfile(world, key);
    const bob = await connect(key, second.id, {}, 'bob');
    const ofBob = await connect(key, second.id, { organizationId: '11' }, 'bob');

    const answers = await Promise.all([move(member.id, key, to.id), move(bob.id, key, to.id)]);

    const statuses = answers.map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 409]);
    const aliceWon = statuses[0] === 200;
    expect(await placeOf(key, [member.id, one.id, other.id])).toEqual(Array(3).fill(aliceWon ? to.id : from.id));
    expect(await placeOf(key, [bob.id, ofBob.id])).toEqual(Array(2).fill(aliceWon ? second.id : to.id));
  });
});
