/**
 * The document generator's own request handler turns on coercion inside the schemas it serves, after which `"false"` is
 * true on every surface. Our adapter replaces it, and this test keeps it out.
 */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { operations } from '../../routers/operations.ts';
import { createOpenApiDocument } from '../../server/openapi.ts';
import { startWorld } from '../harness/world.ts';

const world = await startWorld();

/** Every schema inside a schema. */
function* schemasIn(schema: z.ZodType): Generator<z.ZodType> {
  yield schema;
  if (schema instanceof z.ZodObject)
    for (const field of Object.values(schema.shape)) yield* schemasIn(field as z.ZodType);
  if (schema instanceof z.ZodArray) yield* schemasIn(schema.element as z.ZodType);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable) {
    yield* schemasIn(schema.unwrap() as z.ZodType);
  }
}

function coercing(): string[] {
  return operations.flatMap((operation) =>
    [...schemasIn(operation.input)]
      .filter((schema) => (schema._zod.def as { coerce?: boolean }).coerce === true)
      .map(() => operation.name),
  );
}

describe('generating the API document', () => {
  it('leaves every input schema unchanged', () => {
    createOpenApiDocument('http://localhost:3000', '2.0.0');

    expect(coercing()).toEqual([]);
  });
});

describe('a REST request', () => {
  it('leaves every input schema unchanged', async () => {
    await world.rest('GET /posts?limit=10&offset=0');
    await world.rest('POST /posts', { body: { text: 'Hello', connectionSlugs: [world.sandboxSlug] } });

    expect(coercing()).toEqual([]);
  });

  it('refuses a number sent as text in a JSON body, before and after a query was parsed', async () => {
    const bodies = await Promise.all(
      [1, 2].map(async () => {
        await world.rest('GET /posts?limit=10');
        return world.rest('POST /posts', { body: { text: 7, connectionSlugs: [world.sandboxSlug] } });
      }),
    );

    expect(bodies.map(({ status, body }) => [status, body.error, body.message])).toEqual([
      [400, 'invalid_request', 'text: expected a string.'],
      [400, 'invalid_request', 'text: expected a string.'],
    ]);
  });
});
