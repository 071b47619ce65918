/** What is published about the MCP endpoint: the entry of the registry, the bundle, and the plugin. */
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { connectHost } from '../../integrations/mcp/bundle/connect-host.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { startWorld } from '../harness/world.ts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'integrations/mcp');
const jsonOf = async (file: string): Promise<unknown> => JSON.parse(await readFile(join(FOLDER, file), 'utf8'));

/** The rules of the registry for a server that runs at an address of the user (schema 2025-12-11). */
const Input = z.object({
  description: z.string().optional(),
  isRequired: z.boolean().optional(),
  isSecret: z.boolean().optional(),
  placeholder: z.string().optional(),
});
const RegistryEntry = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
  name: z
    .string()
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
  remotes: z
    .array(
      z.strictObject({
        type: z.enum(['streamable-http', 'sse']),
        url: z.string().regex(/^https:\/\//),
        variables: z.record(z.string(), Input),
        headers: z.array(Input.extend({ name: z.string() })),
      }),
    )
    .min(1),
});

describe('the entry of the registry', () => {
  it('follows the rules of the registry, and names each variable of its address', async () => {
    const { version, remotes } = RegistryEntry.parse(await jsonOf('server.json'));

    expect(version).toBe(packageJson.version);
    for (const { url, variables } of remotes) {
      const named = [...url.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(Object.keys(variables)).toEqual(named);
    }
  });

  it('treats the key as a secret', async () => {
    const { remotes } = RegistryEntry.parse(await jsonOf('server.json'));

    expect(remotes.flatMap(({ headers }) => headers)).toEqual([
      expect.objectContaining({ name: 'x-api-key', isSecret: true, isRequired: false }),
    ]);
  });
});

it('the bundle asks for an address and a secret key, and hands them to its server', async () => {
  expect(await jsonOf('bundle/manifest.json')).toMatchObject({
    version: packageJson.version,
    server: { mcp_config: { env: { CARILLON_URL: '${user_config.url}', CARILLON_KEY: '${user_config.key}' } } },
    user_config: { url: { required: true }, key: { required: true, sensitive: true } },
  });
});

describe('the bundle', () => {
  /** A host that calls a tool of the install at an address, and what it is told. */
  async function call(url: string, key: string): Promise<JSONRPCMessage> {
    const answer = Promise.withResolvers<JSONRPCMessage>();
    const host: Parameters<typeof connectHost>[0] = { send: async (message) => answer.resolve(message) };
    const requestInit = { headers: { 'x-api-key': key } };
    const install = new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit });
    connectHost(host, install, url);
    await install.start();
    onTestFinished(() => install.close());
    const params = { name: 'list_connections', arguments: {} };
    host.onmessage?.({ jsonrpc: '2.0', id: 7, method: 'tools/call', params });
    return answer.promise;
  }

  it('tells the host that an answer broke off, and that the call may have been carried out', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': begun\n\n', () => response.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

    expect(await call(url, 'any')).toEqual({
      jsonrpc: '2.0',
      id: 7,
      error: {
        code: -32_000,
        message: `The answer of ${url} broke off. The call may have been carried out: look at what there is before you repeat it.`,
      },
    });
  });

  it('tells the host why the install refused it', async () => {
    const world = await startWorld();

    expect(await call(world.url, 'crl_live_unknown')).toMatchObject({
      id: 7,
      error: { code: -32_000, message: expect.stringMatching(/ answered HTTP 401: .*key/) },
    });
  });
});

describe('the plugin', () => {
  it('connects to the endpoint of the install that CARILLON_URL names', async () => {
    expect(await jsonOf('claude-plugin/.claude-plugin/plugin.json')).toMatchObject({
      name: 'carillon',
      version: packageJson.version,
    });
    expect(await jsonOf('claude-plugin/.mcp.json')).toEqual({
      mcpServers: { carillon: { type: 'http', url: '${CARILLON_URL}/mcp' } },
    });
  });

  it('has the skill that the endpoint serves, file by file', async () => {
    const served = await filesOf(join(ROOT, 'mcp/skills'));

    expect(Object.keys(served)).toContain('social-posting/SKILL.md');
    expect(await filesOf(join(FOLDER, 'claude-plugin/skills'))).toEqual(served);
  });
});

async function filesOf(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.md'));
  const files = names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const);
  return Object.fromEntries(await Promise.all(files));
}
