/** Validation issues in words: path, expected value, and received value. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ErrorDetail } from '../../errors/service-error.ts';
import { zodDetails } from '../../errors/zod-details.ts';

function detailsOf(schema: z.ZodType, input: unknown, prefix?: readonly string[]): ErrorDetail[] {
  const { error } = schema.safeParse(
    prefix === undefined ? input : (input as Record<string, unknown>)[prefix[0] ?? ''],
  );
  if (error === undefined) throw new Error('the input was taken');
  return zodDetails(error, input, prefix);
}

describe('an issue', () => {
  it.each<[string, z.ZodType, unknown, ErrorDetail]>([
    ['a missing field', z.object({ name: z.string() }), {}, { path: 'name', expected: 'a string' }],
    [
      'a wrong type',
      z.object({ name: z.string() }),
      { name: 7 },
      { path: 'name', expected: 'a string', received: '7' },
    ],
    [
      'a type that begins with a vowel',
      z.object({ list: z.array(z.string()) }),
      { list: 'a' },
      { path: 'list', expected: 'an array', received: 'a' },
    ],
    [
      'a place within',
      z.object({ media: z.array(z.object({ altText: z.string() })) }),
      { media: [{ altText: 'ok' }, { altText: null }] },
      { path: 'media.1.altText', expected: 'a string', received: 'null' },
    ],
    ['the whole input', z.object({}), 'text', { path: '', expected: 'an object', received: 'text' }],
    [
      'a choice',
      z.object({ type: z.enum(['live', 'test']) }),
      { type: 'prod' },
      { path: 'type', expected: 'one of live, test', received: 'prod' },
    ],
    [
      'a text that is too long',
      z.object({ name: z.string().max(3) }),
      { name: 'four' },
      { path: 'name', expected: 'at most 3 characters', received: 'four' },
    ],
    [
      'a text that is too short',
      z.object({ name: z.string().min(1) }),
      { name: '' },
      { path: 'name', expected: 'at least 1 character', received: '' },
    ],
    [
      'a list that is too long',
      z.object({ tags: z.array(z.string()).max(1) }),
      { tags: ['a', 'b'] },
      { path: 'tags', expected: 'at most 1 item', received: '["a","b"]' },
    ],
    [
      'a number that is too small',
      z.object({ limit: z.int().min(1) }),
      { limit: 0 },
      { path: 'limit', expected: 'at least 1', received: '0' },
    ],
    [
      'a number with a fraction',
      z.object({ limit: z.int() }),
      { limit: 1.5 },
      { path: 'limit', expected: 'an int', received: '1.5' },
    ],
    [
      'a check of our own',
      z.object({ id: z.string().refine(() => false, 'a UUID') }),
      { id: 'x' },
      { path: 'id', expected: 'a UUID', received: 'x' },
    ],
    [
      'a field that does not exist, without the rest of the object',
      z.object({ media: z.strictObject({ id: z.string() }) }),
      { media: { id: 'x', alt: 'secret' } },
      { path: 'media', expected: 'no field called "alt"' },
    ],
    [
      'a long value',
      z.object({ name: z.string().max(3) }),
      { name: 'a'.repeat(81) },
      { path: 'name', expected: 'at most 3 characters', received: `${'a'.repeat(80)}…` },
    ],
  ])('describes %s', (_case, schema, input, detail) => {
    expect(detailsOf(schema, input)).toEqual([detail]);
  });

  it('prefixes its path with that of the request', () => {
    const schema = z.object({ name: z.string() });

    expect(detailsOf(schema, { settings: { name: 7 } }, ['settings'])).toEqual([
      { path: 'settings.name', expected: 'a string', received: '7' },
    ]);
  });

  it('never quotes credentials', () => {
    const schema = z.object({ appPassword: z.string().max(3) });

    expect(detailsOf(schema, { credentials: { appPassword: 'hunter2' } }, ['credentials'])).toEqual([
      { path: 'credentials.appPassword', expected: 'at most 3 characters' },
    ]);
  });

  it('does not read inherited properties of the input', () => {
    expect(detailsOf(z.object({ toString: z.string() }), {})).toMatchObject([{ path: 'toString' }]);
    expect(detailsOf(z.object({ toString: z.string() }), {})[0]).not.toHaveProperty('received');
  });
});
