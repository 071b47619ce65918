/** Every protocol revision on one endpoint, used by the real clients. */
import { beforeAll, describe, expect, it } from 'vitest';
import { startWorld, type World } from '../harness/world.ts';
import { callRaw, connect, connectV1, legacy, MODERN } from './clients.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});

describe('2026-07-28', () => {
  it('identifies itself without a handshake', async () => {
    const client = await connect(world, 'modern');

    expect(client.getNegotiatedProtocolVersion()).toBe(MODERN);
    expect(client.getServerVersion()).toMatchObject({
      name: 'carillon',
      title: 'Carillon',
      version: world.context.version,
    });
    expect(client.getServerVersion()?.websiteUrl).toBe(world.context.config.publicUrl);
    expect(client.getServerCapabilities()).toEqual({
      completions: {},
      extensions: { 'io.modelcontextprotocol/skills': { directoryRead: true } },
      prompts: { listChanged: false },
      resources: { listChanged: false, subscribe: true },
      tools: { listChanged: false },
    });
  });

  it('has instructions of five lines', async () => {
    const client = await connect(world, 'modern');

    const lines = client.getInstructions()?.split('\n') ?? [];
    expect(lines).toHaveLength(5);
    expect(lines.join('\n')).toMatch(/list_connections first[\s\S]*schedule[\s\S]*Read every entry[\s\S]*list_posts/);
  });

  it('states how long its lists may be cached, and by whom', async () => {
    const envelope = {
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'bare', version: '1' },
    };
    const ask = (method: string, params: object = {}, name?: string) =>
      callRaw(world, {
        headers: { 'mcp-protocol-version': MODERN, 'mcp-method': method, 'mcp-name': name },
        body: legacy(method, { ...params, _meta: envelope }),
      });

    for (const method of [
      'server/discover',
      'tools/list',
      'prompts/list',
      'resources/list',
      'resources/templates/list',
    ]) {
      const { body } = await ask(method);
      expect({ method, ...body.result }).toMatchObject({
        method,
        resultType: 'complete',
        ttlMs: 300_000,
        cacheScope: 'private',
      });
    }
    const uri = 'carillon://connections';
    const { body } = await ask('resources/read', { uri }, uri);
    expect(body.result).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
  });

  it('refuses headers that contradict the body', async () => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientCapabilities': {},
    };

    const answer = await callRaw(world, {
      headers: { 'mcp-protocol-version': MODERN, 'mcp-method': 'prompts/list' },
      body: legacy('tools/list', { _meta: meta }),
    });

    expect(answer.status).toBe(400);
    expect(answer.body.error.code).toBe(-32_020);
  });

  it('ends a subscription to lists at once, because they never change', async () => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientCapabilities': {},
    };

    const answer = await callRaw(world, {
      headers: { 'mcp-protocol-version': MODERN, 'mcp-method': 'subscriptions/listen' },
      body: legacy('subscriptions/listen', { notifications: { toolsListChanged: true }, _meta: meta }),
    });

    expect(answer.status).toBe(200);
    expect(answer.body.at(-1)).toMatchObject({ id: 1, result: { resultType: 'complete' } });
  });
});

describe('the revisions before', () => {
  it.each(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])(
    'completes the handshake at %s, without a session',
    async (revision) => {
      const answer = await callRaw(world, {
        body: legacy('initialize', {
          protocolVersion: revision,
          capabilities: {},
          clientInfo: { name: 'bare', version: '1' },
        }),
      });

      expect(answer.status).toBe(200);
      expect(answer.headers['mcp-session-id']).toBeUndefined();
      expect(answer.body.result.protocolVersion).toBe(revision);
      expect(answer.body.result.serverInfo.name).toBe('carillon');
      expect(answer.body.result.instructions).toContain('list_connections');
    },
  );

  it.each([
    ['today’s client', (to: World) => connect(to, 'legacy')],
    ['the client of the year before', (to: World) => connectV1(to)],
  ])('serves %s', async (_name, open) => {
    const client = await open(world);

    expect(client.getServerVersion()?.name).toBe('carillon');
    const { tools } = await client.listTools();
    const called = await client.callTool({ name: 'list_connections', arguments: {} });

    expect(tools.map(({ name }) => name)).toContain('create_post');
    expect(called.structuredContent).toEqual((await world.rest('GET /connections')).body);
    await client.close();
  });
});
