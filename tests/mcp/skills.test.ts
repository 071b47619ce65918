/** The skill of the endpoint: readable as it is stored, and consistent with the existing tools. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ERROR_CODES } from '../../errors/codes.ts';
import { operations } from '../../routers/operations.ts';
import { startWorld } from '../harness/world.ts';
import { connect } from './clients.ts';

const world = await startWorld();
const client = await connect(world);
const FILES = ['SKILL.md', 'references/errors.md'];

const stored = (file: string) => readFileSync(`mcp/skills/social-posting/${file}`, 'utf8');

it('is listed among the resources, and reads as it is stored', async () => {
  const { resources } = await client.listResources();

  expect(resources.map(({ uri }) => uri)).toContain('skill://social-posting/SKILL.md');
  for (const file of FILES) {
    const { contents } = await client.readResource({ uri: `skill://social-posting/${file}` });
    expect(contents).toMatchObject([{ text: stored(file) }]);
  }
});

it('names tools, arguments and error codes that exist', () => {
  const known = new Set<string>([
    ...ERROR_CODES,
    ...operations.flatMap(({ meta }) => ('none' in meta.tool ? [] : [meta.tool.name])),
  ]);
  const named = FILES.flatMap((file) => [...stored(file).matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map(([, name]) => name));

  expect(named.length).toBeGreaterThan(15);
  expect(named.filter((name) => name === undefined || !known.has(name))).toEqual([]);
});
