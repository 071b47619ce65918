/** The tools that the conformance suite calls by name exist only when the fixtures are enabled. */
import { expect, it } from 'vitest';
import { ConfigError, readConfig } from '../../server/config.ts';
import { startWorld } from '../harness/world.ts';
import { callRaw, legacy } from './clients.ts';

it('shows the fixtures beside our own tools, behind the same key', async () => {
  await using conformanceWorld = await startWorld({ env: { MCP_CONFORMANCE: '1' } });

  const { body } = await callRaw(conformanceWorld, { body: legacy('tools/list') });
  const names = body.result.tools.map(({ name }: { name: string }) => name);

  expect(names).toEqual(expect.arrayContaining(['create_post', 'test_simple_text', 'test_missing_capability']));
  expect(
    (await callRaw(conformanceWorld, { headers: { 'x-api-key': undefined }, body: legacy('tools/list') })).status,
  ).toBe(401);
});

it('has no fixtures by default', async () => {
  await using world = await startWorld();

  for (const method of ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list']) {
    const { text } = await callRaw(world, { body: legacy(method) });
    expect(text).not.toMatch(/"test_|"test:/);
  }
});

it('is refused in production', () => {
  const env = { MCP_CONFORMANCE: '1', NODE_ENV: 'production' };

  expect(() => readConfig(env)).toThrow(new ConfigError('MCP_CONFORMANCE: is refused when NODE_ENV is production'));
  expect(readConfig({ NODE_ENV: 'production' }).mcpConformance).toBe(false);
});
