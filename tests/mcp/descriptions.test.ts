/** Every item that /mcp lists has a description: tools, resources, templates, prompts and their arguments, skills. */
import { expect, it } from 'vitest';
import { startWorld } from '../harness/world.ts';
import { connect } from './clients.ts';

const world = await startWorld();
const clients = await Promise.all(
  ['/mcp/all', '/mcp/x/keys'].map((path) => connect(world, 'modern', world.liveKey, path)),
);

interface Described {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
}

/** The items without a useful description. */
function undescribed(things: readonly Described[]): string[] {
  return things.filter(({ description = '' }) => description.trim().length < 20).map(({ name }) => name);
}

it('every resource, template, prompt and skill has a description', async () => {
  for (const client of clients) {
    const { resources } = await client.listResources();
    const { resourceTemplates } = await client.listResourceTemplates();
    const { prompts } = await client.listPrompts();
    const { tools } = await client.listTools();

    expect(resources.some(({ uri }) => uri.startsWith('skill://'))).toBe(true);
    const described = [...resources, ...resourceTemplates, ...prompts, ...tools];
    expect(undescribed(described)).toEqual([]);
    const parameters = prompts.flatMap((prompt) =>
      (prompt.arguments ?? []).map((argument) => ({ ...argument, name: `${prompt.name} ${argument.name}` })),
    );
    expect(undescribed(parameters)).toEqual([]);
  }
});
