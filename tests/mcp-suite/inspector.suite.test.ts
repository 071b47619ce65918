/** The official inspector, as used at a terminal: schemas that every client can read, both eras, and exit codes. */
import { expect, inject, it } from 'vitest';
import { TOOLSETS } from '../../routers/toolsets.ts';
import { LIVE_KEY } from '../crash/server-process.ts';
import { runCommand } from './run-command.ts';

const { url } = inject('mcp');

const inspect = (path: string, ...parameters: string[]) =>
  runCommand('mcp-inspector', [
    '--cli',
    `${url}${path}`,
    '--transport',
    'http',
    '--header',
    `x-api-key: ${LIVE_KEY}`,
    '--format',
    'json',
    ...parameters,
  ]);

it.concurrent.each(['/mcp', '/mcp/all', ...Object.keys(TOOLSETS).map((toolset) => `/mcp/x/${toolset}`)])(
  'finds neither errors nor warnings in the schemas of %s',
  async (path) => {
    const { code, output } = await inspect(path, '--method', 'tools/list', '--strict');

    expect({ code, complaints: /\d+ errors?, \d+ warnings?/.exec(output) }).toEqual({ code: 0, complaints: null });
  },
);

it.each([
  ['modern', '2026-07-28'],
  ['legacy', '2025-11-25'],
])('completes the handshake in the %s era', async (era, revision) => {
  const { code, stdout } = await inspect('/mcp', '--protocol-era', era, '--method', 'initialize');

  expect(code).toBe(0);
  expect(JSON.parse(stdout).result).toMatchObject({
    protocolVersion: revision,
    serverInfo: { name: 'carillon', title: 'Carillon' },
  });
});

const call = (tool: string, args: object) =>
  inspect('/mcp', '--method', 'tools/call', '--tool-name', tool, '--tool-args-json', JSON.stringify(args));

it('calls a tool', async () => {
  const { code, stdout } = await call('create_post', { text: 'Ding', connectionSlugs: ['sandbox'] });

  expect(code).toBe(0);
  expect(JSON.parse(stdout).result.structuredContent.results).toMatchObject([
    { connectionSlug: 'sandbox', status: 'sent' },
  ]);
});

it('reports a failed call by its exit code, with a fix', async () => {
  const { code, output } = await call('create_post', { text: 'Ding', connectionSlugs: ['unknown'] });

  expect(code).toBe(5);
  expect(output).toContain('invalid_connection: ');
  expect(output).toContain('list_connections');
});

it('reads a resource', async () => {
  const { code, stdout } = await inspect('/mcp', '--method', 'resources/read', '--uri', 'carillon://platforms');

  expect(code).toBe(0);
  expect(JSON.parse(stdout).result.contents).toHaveLength(1);
});

it('verifies the skill by its digests', async () => {
  const { code, output } = await inspect('/mcp', '--method', 'skills/list', '--verify', '--require-digests');

  expect({ code, said: /Verified .*/.exec(output)?.[0] }).toEqual({
    code: 0,
    said: 'Verified 1 skill and 2 files: no conformance errors.',
  });
});

it('finds on /mcp/readonly only tools that change nothing', async () => {
  const { stdout } = await inspect('/mcp/readonly', '--method', 'tools/list');

  const { tools } = JSON.parse(stdout).result as { tools: { annotations: { readOnlyHint: boolean } }[] };
  expect(tools.length).toBeGreaterThan(5);
  expect(tools.filter(({ annotations }) => !annotations.readOnlyHint)).toEqual([]);
});

it('is asked for a key', async () => {
  const { code } = await runCommand('mcp-inspector', [
    '--cli',
    `${url}/mcp`,
    '--transport',
    'http',
    '--stored-auth-only',
    '--method',
    'tools/list',
  ]);

  expect(code).toBe(3);
});

it('gets every answer under load', async () => {
  const load = ['--load', '--load-requests', '200', '--load-concurrency', '8'];
  const { code, stdout } = await inspect('/mcp', '--method', 'tools/call', '--tool-name', 'list_connections', ...load);

  const { result } = JSON.parse(stdout);
  console.log(`200 calls, eight at a time, in milliseconds: ${JSON.stringify(result.latencyMs)}`);
  expect(code).toBe(0);
  expect(result).toMatchObject({ requests: 200, ok: 200, toolErrors: 0, errors: 0, errorMessages: [] });
});
