/**
 * The official conformance suite: all that a revision requires, on the fixtures, and its checks of our own tools
 * without them.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { runCommand } from './run-command.ts';

const { keyed, fixtures } = inject('mcp');

let results: string;
beforeAll(async () => {
  results = await mkdtemp(join(tmpdir(), 'carillon-conformance-'));
});
afterAll(() => rm(results, { recursive: true, force: true }));

async function runSuite(origin: string, ...parameters: string[]) {
  const { code, output } = await runCommand('conformance', [
    'server',
    '--url',
    `${origin}/mcp`,
    '-o',
    results,
    ...parameters,
  ]);
  const summary = output.slice(Math.max(0, output.lastIndexOf('=== SUMMARY ===')));
  return { code, failed: code === 0 ? [] : summary.split('\n').filter((line) => !line.startsWith('✓')) };
}

describe('with the fixtures', () => {
  it('meets all requirements of 2026-07-28', async () => {
    expect(await runSuite(fixtures, '--requirements', '2026-07-28')).toEqual({ code: 0, failed: [] });
  });

  it('meets all requirements of 2025-11-25, except those that need a session', async () => {
    const expected = 'tests/mcp-suite/conformance-2025-11-25.yaml';

    expect(await runSuite(fixtures, '--requirements', '2025-11-25', '--expected-failures', expected)).toEqual({
      code: 0,
      failed: [],
    });
  });
});

describe('with our own tools alone', () => {
  it.concurrent.each([
    'tools-list',
    'resources-list',
    'prompts-list',
    'caching',
    'dns-rebinding-protection',
    'http-header-validation',
    'sep-2164-resource-not-found',
    'sep-2640-skills-enumeration',
    'sep-2640-skills-manifest',
    'sep-2640-skills-directory',
  ])('%s passes', async (scenario) => {
    expect(await runSuite(keyed, '--scenario', scenario)).toEqual({ code: 0, failed: [] });
  });
});
