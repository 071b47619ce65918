/** Ids sort in the order of their creation, even when the clock is moved. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createIds } from '../../services/ids.ts';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Ids created at these clock readings, one after the other. */
function idsAt(readings: readonly number[], filling = 0x5a): string[] {
  let next = 0;
  const ids = createIds(
    () => readings[Math.min(next, readings.length - 1)] ?? 0,
    (length) => Buffer.alloc(length, filling),
  );
  return readings.map(() => {
    const id = ids();
    next += 1;
    return id;
  });
}

function millisecondsOf(id: string): number {
  return Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
}

describe('an id', () => {
  it('is a UUIDv7 with the current millisecond', () => {
    const [id = ''] = idsAt([Date.UTC(2026, 10, 21, 12)]);

    expect(id).toMatch(UUID_V7);
    expect(millisecondsOf(id)).toBe(Date.UTC(2026, 10, 21, 12));
  });

  it('sorts after earlier ids of the same millisecond', () => {
    const ids = idsAt(Array.from({ length: 5_000 }, () => 1_000));

    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(5_000);
  });

  it('sorts after earlier ids when the clock is set back, and uses the clock again once it has caught up', () => {
    const ids = idsAt([5_000, 4_000, 1, 4_999, 5_000, 5_001]);

    expect(ids.toSorted()).toEqual(ids);
    expect(ids.map(millisecondsOf)).toEqual([5_000, 5_000, 5_000, 5_000, 5_000, 5_001]);
  });

  it('sorts after all earlier ids, for any clock and any randomness', () => {
    const readings = fc.array(fc.integer({ min: 0, max: 2 ** 42 }), { minLength: 2, maxLength: 300 });
    fc.assert(
      fc.property(readings, fc.integer({ min: 0, max: 255 }), (instants, filling) => {
        const ids = idsAt(instants, filling);

        expect(ids.toSorted()).toEqual(ids);
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids.every((id) => UUID_V7.test(id))).toBe(true);
      }),
      { seed: 1 },
    );
  });

  it('differs from that of another process at the same instant', () => {
    const one = createIds(
      () => 1_000,
      (length) => Buffer.alloc(length, 1),
    );
    const other = createIds(
      () => 1_000,
      (length) => Buffer.alloc(length, 2),
    );

    expect(one()).not.toBe(other());
  });
});
