/** The clients of other vendors (docs/guide/connect-agents.md): each lists the tools, calls one, and reads why a call failed. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, inject, it } from 'vitest';
import { LIVE_KEY, REPOSITORY } from '../crash/server-process.ts';
import { suiteCommand, suiteLibrary } from './ensure-suite.ts';
import { runCommand } from './run-command.ts';

const { url } = inject('mcp');
const ENDPOINT = `${url}/mcp`;
const HEADERS = { 'x-api-key': LIVE_KEY };
const UNKNOWN = { text: 'Ding', connectionSlugs: ['unknown'] };
const SANDBOX = { connections: expect.arrayContaining([expect.objectContaining({ slug: 'sandbox' })]) };

it('mcp-remote connects hosts that start local commands', async () => {
  const client = new Client({ name: 'local-host', version: '1.0.0' });
  const command = [
    suiteCommand('mcp-remote'),
    ENDPOINT,
    '--header',
    `x-api-key:${LIVE_KEY}`,
    '--transport',
    'http-only',
  ];
  await client.connect(new StdioClientTransport({ command: process.execPath, args: command, stderr: 'ignore' }));

  const { tools } = await client.listTools();
  const listed = await client.callTool({ name: 'list_connections', arguments: {} });
  const refused = await client.callTool({ name: 'create_post', arguments: UNKNOWN });
  await client.close();

  expect(tools.map(({ name }) => name)).toContain('create_post');
  expect(listed.structuredContent).toMatchObject(SANDBOX);
  expect(refused).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/^invalid_connection: .* Fix: /) }],
  });
});

it('the bundle for desktop applications passes its official packer, and connects a host to the install', async () => {
  await promisify(execFile)(process.execPath, ['scripts/build-mcp-bundle.ts'], { cwd: REPOSITORY });
  const checked = await runCommand('mcpb', ['validate', 'integrations/mcp/dist/manifest.json']);
  const client = new Client({ name: 'desktop', version: '1.0.0' });
  const env = { CARILLON_URL: url, CARILLON_KEY: LIVE_KEY };
  const command = join(REPOSITORY, 'integrations/mcp/dist/server/index.js');
  await client.connect(new StdioClientTransport({ command: 'node', args: [command], env, stderr: 'ignore' }));

  const listed = await client.callTool({ name: 'list_connections', arguments: {} });
  const unknown = client.callTool({ name: 'no_such_tool', arguments: {} });
  await expect(unknown).rejects.toThrow(/no_such_tool/);
  await client.close();

  expect(checked).toMatchObject({ code: 0, output: expect.stringContaining('passes') });
  expect(listed.structuredContent).toMatchObject(SANDBOX);
});

it('the bundle says that the install does not answer', async () => {
  const client = new Client({ name: 'desktop', version: '1.0.0' });
  const env = { CARILLON_URL: 'http://127.0.0.1:9', CARILLON_KEY: LIVE_KEY };
  const command = join(REPOSITORY, 'integrations/mcp/dist/server/index.js');
  const connecting = client.connect(
    new StdioClientTransport({ command: 'node', args: [command], env, stderr: 'ignore' }),
  );

  await expect(connecting).rejects.toThrow(/127\.0\.0\.1:9 did not answer/);
  await client.close();
});

interface AiTool {
  execute(
    input: object,
    options: object,
  ): Promise<{ isError?: boolean; structuredContent?: unknown; content: unknown }>;
}

it('the client of the AI SDK turns the tools into its own', async () => {
  const { createMCPClient } = (await suiteLibrary('@ai-sdk/mcp')) as {
    createMCPClient(options: object): Promise<{ tools(): Promise<Record<string, AiTool>>; close(): Promise<void> }>;
  };
  const client = await createMCPClient({ transport: { type: 'http', url: ENDPOINT, headers: HEADERS } });

  const tools = await client.tools();
  const options = { toolCallId: 'call-1', messages: [] };
  const listed = await tools['list_connections']?.execute({}, options);
  const refused = await tools['create_post']?.execute(UNKNOWN, options);
  await client.close();

  expect(listed?.structuredContent).toMatchObject(SANDBOX);
  expect(refused).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/^invalid_connection: .* Fix: /) }],
  });
});

interface LangChainTool {
  readonly name: string;
  invoke(input: object): Promise<unknown>;
}

it('the adapters of LangChain turn the tools into its own', async () => {
  const { MultiServerMCPClient } = (await suiteLibrary('@langchain/mcp-adapters')) as {
    MultiServerMCPClient: new (options: object) => { getTools(): Promise<LangChainTool[]>; close(): Promise<void> };
  };
  const client = new MultiServerMCPClient({
    mcpServers: { carillon: { transport: 'http', url: ENDPOINT, headers: HEADERS } },
  });

  const tools = await client.getTools();
  const tool = (name: string) => tools.find((one) => one.name === name);
  const listed = await tool('list_connections')?.invoke({});
  const refused = await tool('create_post')?.invoke(UNKNOWN).then(JSON.stringify, String);
  await client.close();

  expect(JSON.stringify(listed)).toContain('sandbox');
  expect(refused).toMatch(/invalid_connection: .* Fix: /);
});
