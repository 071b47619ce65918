/** The output of tools/list: complete, small, and the same every time. */
import { beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../routers/operations.ts';
import { DEFAULT_TOOLSET } from '../../routers/toolsets.ts';
import { startWorld, type World } from '../harness/world.ts';
import { callRaw, connect, connectV1, legacy } from './clients.ts';

type Tools = Awaited<ReturnType<Awaited<ReturnType<typeof connect>>['listTools']>>['tools'];

let world: World;
let tools: Tools;
beforeAll(async () => {
  world = await startWorld();
  tools = (await (await connect(world)).listTools()).tools;
});

describe('tools/list', () => {
  it('has the default tools, at most twenty', () => {
    const declared = operations.flatMap(({ meta }) =>
      'name' in meta.tool && meta.tool.toolset === DEFAULT_TOOLSET ? [meta.tool.name] : [],
    );

    expect(tools.map(({ name }) => name)).toEqual(declared);
    expect(declared.length).toBeLessThanOrEqual(20);
  });

  it('names tools verb_noun, with a title', () => {
    for (const { name, title } of tools) {
      expect(name).toMatch(/^[a-z]+(_[a-z]+)+$/);
      expect(title).toMatch(/^[A-Z]/);
    }
  });

  it('describes tools in 40 to 1,024 characters', () => {
    const wrong = tools.filter(({ description = '' }) => description.length < 40 || description.length > 1_024);

    expect(wrong.map(({ name }) => name)).toEqual([]);
  });

  it('describes every argument', () => {
    const undescribed = tools.flatMap(({ name, inputSchema }) =>
      Object.entries(inputSchema.properties ?? {})
        .filter(([, schema]) => !/^.{10,1024}$/s.test((schema as { description?: string }).description ?? ''))
        .map(([argument]) => `${name}.${argument}`),
    );

    expect(undescribed).toEqual([]);
  });

  it('gives all four annotations, as the operations declare them', () => {
    const declared = operations.flatMap(({ meta }) => {
      if ('none' in meta.tool || meta.tool.toolset !== DEFAULT_TOOLSET) return [];
      const { name, readOnly, destructive, idempotent, openWorld } = meta.tool;
      const annotations = {
        readOnlyHint: readOnly,
        destructiveHint: destructive,
        idempotentHint: idempotent,
        openWorldHint: openWorld,
      };
      return [{ name, annotations }];
    });

    expect(tools.map(({ name, annotations }) => ({ name, annotations }))).toEqual(declared);
  });

  it('does not mark create_post as destructive, but delete_post', () => {
    const hint = (name: string) => tools.find((tool) => tool.name === name)?.annotations?.destructiveHint;

    expect(hint('create_post')).toBe(false);
    expect(hint('delete_post')).toBe(true);
  });

  it('shows self-contained objects as schemas: closed arguments, open answers', () => {
    for (const { inputSchema, outputSchema } of tools) {
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(outputSchema).toMatchObject({ type: 'object' });
      expect(JSON.stringify([inputSchema, outputSchema])).not.toMatch(
        /\$ref|\$defs|\$schema|"type":\[|9007199254740991/,
      );
      expect(JSON.stringify(outputSchema)).not.toContain('additionalProperties');
    }
  });

  it('shows the alternatives of delete_post in one object', () => {
    const schema = tools.find(({ name }) => name === 'delete_post')?.outputSchema as {
      anyOf: { required: string[] }[];
    };

    expect(schema.anyOf.map(({ required }) => required)).toEqual([
      ['id', 'deleted'],
      ['id', 'status'],
      ['id', 'status', 'deletedAt'],
    ]);
  });

  it('is the same bytes twice, also for another key, and at most 24 KB', async () => {
    const profile = await world.profile();
    const scoped = await world.key({ profileId: profile.id });

    const first = await callRaw(world, { body: legacy('tools/list') });
    const second = await callRaw(world, { body: legacy('tools/list') });
    const foreign = await callRaw(world, { headers: { 'x-api-key': scoped.secret }, body: legacy('tools/list') });

    expect(second.text).toBe(first.text);
    expect(foreign.text).toBe(first.text);
    expect(Buffer.byteLength(first.text)).toBeLessThanOrEqual(24 * 1024);
  });

  it('reads the same to clients of both eras', async () => {
    const byModern = tools.map(({ name, inputSchema, outputSchema }) => ({ name, inputSchema, outputSchema }));
    const v1 = (await (await connectV1(world)).listTools()).tools;
    const byV1 = v1.map(({ name, inputSchema, outputSchema }) => ({ name, inputSchema, outputSchema }));

    expect(byV1).toEqual(byModern);
  });
});
