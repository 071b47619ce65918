/** A tool that the path does not list is an error of the protocol, and asks a person for no scope. */
import { beforeAll, describe, expect, it } from 'vitest';
import { startWorld, type World } from '../harness/world.ts';
import { callRaw, legacy, MODERN } from '../mcp/clients.ts';
import { METADATA_URL, signIn, tokensFor } from './agents.ts';

let world: World;
let token: string;
beforeAll(async () => {
  world = await startWorld();
  token = (await tokensFor(world, await signIn(world), { scope: 'posts:read' })).access;
});

const send = (path: string, body: string, headers = {}) =>
  callRaw(world, { path, body, headers: { 'x-api-key': undefined, authorization: `Bearer ${token}`, ...headers } });

const callLegacy = (path: string, name: string) => send(path, legacy('tools/call', { name, arguments: {} }));

const callModern = (path: string, name: string) =>
  send(
    path,
    legacy('tools/call', {
      name,
      arguments: {},
      _meta: {
        'io.modelcontextprotocol/protocolVersion': MODERN,
        'io.modelcontextprotocol/clientInfo': { name: 'agent', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    }),
    { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/call', 'mcp-name': name },
  );

const notFound = (name: string, id = 1) => ({
  jsonrpc: '2.0',
  id,
  error: { code: -32_602, message: `Tool ${name} not found` },
});

const lacking = (scope: string) =>
  `Bearer error="insufficient_scope", scope="${scope}", resource_metadata="${METADATA_URL}"`;

describe('a tool that the path does not list', () => {
  it.each([
    ['/mcp/readonly', 'create_post'],
    ['/mcp', 'mint_key'],
    ['/mcp/all', 'mint_key'],
    ['/mcp/x/keys/readonly', 'mint_key'],
    ['/mcp/x/webhooks', 'create_post'],
    ['/mcp', 'ring_bells'],
  ])('is not found by a token without its scope, in both eras: %s %s', async (path, name) => {
    const answers = [await callLegacy(path, name), await callModern(path, name)];

    for (const { headers, body } of answers) {
      expect(body).toEqual(notFound(name));
      expect(headers).not.toHaveProperty('www-authenticate');
    }
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });

  it('adds no scope to those that its batch asks for', async () => {
    const batch = ['mint_key', 'create_post', 'list_posts'].map((name, id) =>
      legacy('tools/call', { name, arguments: {} }, id),
    );
    const { status, headers } = await send('/mcp', `[${batch.join(',')}]`);

    expect([status, headers['www-authenticate']]).toEqual([403, lacking('posts:write')]);
  });

  it('does not stop the batch that it is in', async () => {
    const batch = [legacy('tools/call', { name: 'mint_key' }, 1), legacy('tools/call', { name: 'list_posts' }, 2)];
    const { status, body } = await send('/mcp', `[${batch.join(',')}]`);

    expect(status).toBe(200);
    expect(body.toSorted((a: { id: number }, b: { id: number }) => a.id - b.id)).toEqual([
      notFound('mint_key'),
      { jsonrpc: '2.0', id: 2, result: expect.objectContaining({ structuredContent: expect.anything() }) },
    ]);
  });
});

it('a tool asks for its scope at each path that lists it', async () => {
  const calls = [
    await callLegacy('/mcp', 'create_post'),
    await callModern('/mcp', 'create_post'),
    await callLegacy('/mcp/all', 'create_post'),
    await callLegacy('/mcp/x/posting/', 'create_post'),
    await callModern('/mcp/x/keys', 'mint_key'),
  ];

  expect(calls.map(({ status, headers }) => [status, headers['www-authenticate']])).toEqual([
    ...Array.from({ length: 4 }, () => [403, lacking('posts:write')]),
    [403, lacking('keys:write')],
  ]);
});
