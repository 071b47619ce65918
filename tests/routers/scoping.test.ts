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
    // What one call changes must not affect the next, so only reads share their objects.
    const shared = operation.procedure._def.type === 'query' ? await make() : null;
    const found = [];
    for (const kind of KEYS) {
      const { tenant, fields } = shared ?? (await make());
      const { status, body } = await callOverRest(world, operation, fields, tenant.secrets[kind]);
      found.push(count !== undefined && status === 200 ? `${status}:${count(body)}` : status);
    }

    expect(found.join(' ')).toBe(statuses);
  });
});
