/** The calendar addresses that a person makes end when the person leaves the account (docs/contract/calendars.md#addresses). */
import { describe, expect, it } from 'vitest';
import { consoleCalls } from '../../harness/console-calls.ts';
import { holdRows } from '../../harness/hold-rows.ts';
import { OWNER_ENV, PASSWORD } from '../../harness/owner.ts';
import { startWorld } from '../../harness/world.ts';
import { type ConsolePerson, personOf } from '../../oauth/people.ts';

const world = await startWorld({ env: OWNER_ENV });
const owner = await consoleCalls(world);
const isPostgres = world.db.engine === 'postgres';

interface Made {
  readonly id: string;
  readonly url: string;
}

async function madeBy({ call }: Pick<ConsolePerson, 'call'>): Promise<Made> {
  return (await call('calendars.create', {})).body.calendar;
}

const remove = ({ ownerId }: ConsolePerson) => owner('people.remove', { personId: ownerId });

/** What the address of the calendar answers. */
async function read({ url }: Made) {
  const response = await fetch(world.url + new URL(url).pathname);
  return { status: response.status, text: await response.text() };
}

const GONE = { status: 404, text: 'There is no such calendar, or its address was renewed.\n' };
const WORKS = { status: 200, text: expect.stringContaining('BEGIN:VCALENDAR') };

async function listed(): Promise<string[]> {
  return (await world.rest('GET /calendars')).body.calendars.map(({ id }: Made) => id);
}

describe('a person who leaves', () => {
  it.each<[string, (person: ConsolePerson) => Promise<unknown>]>([
    ['is removed', remove],
    ['goes', ({ call }) => call('people.leave')],
  ])('reads no more posts through a calendar when the person %s; those of others stay', async (_name, leave) => {
    const [person, other] = [await personOf(world, 'editor'), await personOf(world, 'editor')];
    const [own, ofOther, ofKey] = [
      await madeBy(person),
      await madeBy(other),
      (await world.rest('POST /calendars', { body: {} })).body.calendar as Made,
    ];
    expect(await read(own)).toEqual(WORKS);

    expect(await leave(person)).toMatchObject({ status: 200 });

    expect([await read(own), await read(ofOther), await read(ofKey)]).toEqual([GONE, WORKS, WORKS]);
    const ids = await listed();
    expect([own, ofOther, ofKey].map(({ id }) => ids.includes(id))).toEqual([false, true, true]);
  });

  it('takes the address that the person renewed, and leaves the one that another renewed since', async () => {
    const person = await personOf(world, 'editor');
    const [taken, left] = [(await world.rest('POST /calendars', { body: {} })).body.calendar, await madeBy(person)];
    const renewed: Made = (await person.call('calendars.renew', { calendarId: taken.id })).body.calendar;
    const byKey: Made = (await world.rest(`POST /calendars/${left.id}/renew`, { body: {} })).body.calendar;
    expect([await read(renewed), await read(byKey)]).toEqual([WORKS, WORKS]);

    await remove(person);

    expect([await read(renewed), await read(byKey)]).toEqual([GONE, WORKS]);
  });

  it('has none that is made at the same moment', async () => {
    const person = await personOf(world, 'editor');

    const [made, removed] = await Promise.all([person.call('calendars.create', {}), remove(person)]);

    expect([[200, 401], [200]]).toEqual([expect.arrayContaining([made.status]), [removed.status]]);
    expect(await world.sql('select id from calendars where owner_id = $1', [person.ownerId])).toEqual([]);
  });

  it.skipIf(!isPostgres).each(['first', 'last'] as const)('has none when the removal comes %s', async (place) => {
    const person = await personOf(world, 'editor');
    const held = await holdRows(world, 'select 1 from accounts for no key update');
    const create = () => person.call('calendars.create', {});
    const steps = place === 'first' ? [() => remove(person), create] : [create, () => remove(person)];
    const first = steps[0]?.();
    await held.waiting(1, first);
    const second = steps[1]?.();
    await held.waiting(2, second);
    await held.release();

    const statuses = [(await first)?.status, (await second)?.status];

    expect(statuses).toEqual(place === 'first' ? [200, 401] : [200, 200]);
    expect(await world.sql('select id from calendars where owner_id = $1', [person.ownerId])).toEqual([]);
  });
});

it.each(['editor', 'viewer'])('an owner who becomes %s keeps the calendars', async (role) => {
  const person = await personOf(world, 'owner');
  const made = await madeBy(person);

  const changed = await owner('people.changeRole', { personId: person.ownerId, role, password: PASSWORD });

  expect(changed.status).toBe(200);
  expect(await read(made)).toEqual(WORKS);
});
