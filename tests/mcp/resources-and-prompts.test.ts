/** Resources and prompts: listed with descriptions, read as REST bodies, completed from the caller's own things. */
import { beforeAll, describe, expect, it } from 'vitest';
import { startWorld, type World } from '../harness/world.ts';
import { connect } from './clients.ts';

let world: World;
let client: Awaited<ReturnType<typeof connect>>;
beforeAll(async () => {
  world = await startWorld();
  client = await connect(world);
});

describe('resources', () => {
  it('are described', async () => {
    const { resources } = await client.listResources();

    expect(resources.map(({ uri }) => uri)).toEqual(['carillon://platforms', 'carillon://connections']);
    for (const { uri, title, description = '', mimeType } of resources) {
      expect({ uri, mimeType }).toEqual({ uri, mimeType: 'application/json' });
      expect(title).toMatch(/^[A-Z]/);
      expect(description.length).toBeGreaterThanOrEqual(40);
    }
  });

  it.each([
    ['carillon://platforms', 'GET /platforms'],
    ['carillon://connections', 'GET /connections'],
  ] as const)('%s is the body of %s', async (uri, call) => {
    const { contents } = await client.readResource({ uri });

    expect(contents).toEqual([
      { uri, mimeType: 'application/json', text: JSON.stringify((await world.rest(call)).body) },
    ]);
  });

  it('that do not exist are an error of the protocol', async () => {
    await expect(client.readResource({ uri: 'carillon://nothing' })).rejects.toMatchObject({ code: -32_602 });
  });
});

describe('prompts', () => {
  it('are described, with every argument', async () => {
    const { prompts } = await client.listPrompts();

    expect(prompts.map(({ name }) => name)).toEqual(['draft_post']);
    const [prompt] = prompts;
    expect(prompt?.description?.length).toBeGreaterThanOrEqual(40);
    expect(prompt?.arguments?.map(({ name, required }) => [name, required])).toEqual([
      ['topic', true],
      ['connectionSlug', true],
    ]);
    for (const { description = '' } of prompt?.arguments ?? []) expect(description).toMatch(/^.{10,}$/);
  });

  it('draft_post asks for a draft and for approval before anything is sent', async () => {
    const { messages } = await client.getPrompt({
      name: 'draft_post',
      arguments: { topic: 'Our new bell', connectionSlug: 'sandbox' },
    });

    expect(messages).toHaveLength(1);
    const { role, content } = messages[0] ?? {};
    expect(role).toBe('user');
    expect((content as { text: string }).text).toMatch(
      /"sandbox"[\s\S]*Our new bell[\s\S]*Do not send it yet[\s\S]*create_post/,
    );
  });

  it('completes slugs from the connections of the caller', async () => {
    const complete = async (value: string) =>
      (
        await client.complete({
          ref: { type: 'ref/prompt', name: 'draft_post' },
          argument: { name: 'connectionSlug', value },
        })
      ).completion.values;

    expect(await complete(world.sandboxSlug.slice(0, 3))).toEqual([world.sandboxSlug]);
    expect(await complete('nothing-like-it')).toEqual([]);
  });

  it('refuses a missing argument by name', async () => {
    await expect(client.getPrompt({ name: 'draft_post', arguments: { topic: 'x' } })).rejects.toThrow(/connectionSlug/);
  });
});
