/**
 * Calls every operation with every kind of key, on objects of a profile and objects of the account. The table has the
 * status of each call, and for lists the number of items. A new operation without a row fails the first test.
 */
import { describe, expect, it } from 'vitest';
import { operations } from '../../routers/operations.ts';
import { callOverRest } from '../harness/call-operation.ts';
import { KEYS, makeTenant } from '../harness/tenant.ts';
import { startWorld } from '../harness/world.ts';
import { TABLE } from './scoping-table.ts';

/** Answers to a key that may not make the call, or does not reach its object. */
const REFUSED: ReadonlySet<number> = new Set([401, 403, 404]);

const world = await startWorld({ clock: 'manual' });

it('every operation has a row', () => {
  const named = new Set(TABLE.map(({ operation }) => operation));

  expect([...named].toSorted()).toEqual(operations.map(({ name }) => name).toSorted());
});

describe.for(TABLE)('$operation $on', ({ operation: name, input, statuses, count }) => {
  it(`answers ${KEYS.join(' ')} with ${statuses}`, async () => {
    const operation = operations.find((candidate) => candidate.name === name);
    if (operation === undefined) throw new Error(`there is no operation ${name}`);
    const make = async () => {
      const tenant = await makeTenant(world);
      return { tenant, fields: (await input(tenant)) as Record<string, unknown> };
    };
    const isChange = operation.procedure._def.type !== 'query';
    let made: Awaited<ReturnType<typeof make>> | null = null;
    const found = [];
    for (const kind of KEYS) {
      made ??= await make();
      const { status, body } = await callOverRest(world, operation, made.fields, made.tenant.secrets[kind]);
      found.push(count !== undefined && status === 200 ? `${status}:${count(body)}` : status);
      // What one call changes must not affect the next. One that is refused for its key changes nothing.
      if (isChange && !REFUSED.has(status)) made = null;
    }

    expect(found.join(' ')).toBe(statuses);
  });
});
