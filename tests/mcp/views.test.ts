/** Views in a chat (MCP Apps): what a client that negotiates them gets, and that no other client sees a difference. */
import { globSync } from 'node:fs';
import { EXTENSION_ID, RESOURCE_MIME_TYPE } from '@modelcontextprotocol/ext-apps/server';
import { beforeAll, describe, expect, it } from 'vitest';
import { CHAT_VIEWS } from '../../mcp/views.ts';
import { operations } from '../../routers/operations.ts';
import { startWorld, type World } from '../harness/world.ts';
import { callRaw, connect, connectV1, legacy } from './clients.ts';

type Client = Awaited<ReturnType<typeof connect>>;

const NEGOTIATED = { extensions: { [EXTENSION_ID]: { mimeTypes: [RESOURCE_MIME_TYPE] } } };

const OWN_META = {
  ui: {
    csp: { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] },
    prefersBorder: true,
  },
};

let world: World;
beforeAll(async () => {
  world = await startWorld();
});

/** A host of each era, connected to a path. */
const HOSTS: readonly (readonly [string, (path?: string) => Promise<Client>])[] = [
  ['2026-07-28', (path) => connect(world, 'modern', world.liveKey, path, NEGOTIATED)],
  ['2025-11-25', (path) => connect(world, 'legacy', world.liveKey, path, NEGOTIATED)],
  [
    'the v1 client',
    (path) => connectV1(world, world.liveKey, path, NEGOTIATED) as unknown as ReturnType<typeof connect>,
  ],
];

const viewOf = (view: string) => ({ ui: { resourceUri: `ui://carillon/${view}`, visibility: ['model'] } });

const uris = async (client: Client) =>
  (await client.listResources()).resources.map(({ uri }) => uri).filter((uri) => uri.startsWith('ui:'));

describe.each(HOSTS)('a client that negotiates views, at %s', (_era, open) => {
  it('is offered the extension', async () => {
    const client = await open();

    expect(client.getServerCapabilities()?.extensions?.[EXTENSION_ID]).toEqual({ mimeTypes: [RESOURCE_MIME_TYPE] });
  });

  it('reads in each tool its view, and that views call only what they name', async () => {
    const { tools } = await (await open()).listTools();

    const shown = tools.map(({ name, _meta }) => [name, _meta]);
    const ofViews: Record<string, unknown> = {
      list_connections: { ui: { visibility: ['model', 'app'] } },
      create_post: viewOf('result'),
      validate_post: viewOf('preview'),
      get_post: viewOf('preview'),
      update_draft: viewOf('preview'),
      publish_draft: viewOf('result'),
      retry_post: viewOf('result'),
      get_post_metrics: viewOf('metrics'),
    };
    const others = { ui: { visibility: ['model'] } };
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(ofViews)));
    expect(shown).toEqual(tools.map(({ name }) => [name, ofViews[name] ?? others]));
  });

  it('lists the views of the tools of its path', async () => {
    expect(await uris(await open())).toEqual([
      'ui://carillon/preview',
      'ui://carillon/result',
      'ui://carillon/metrics',
    ]);
    expect(await uris(await open('/mcp/x/queues'))).toEqual(['ui://carillon/calendar']);
    expect(await uris(await open('/mcp/x/webhooks'))).toEqual([]);
    expect(await uris(await open('/mcp/x/approvals'))).toEqual(['ui://carillon/approvals']);
    // The tools of the approvals are on their own path only.
    expect(await uris(await open('/mcp/all'))).toHaveLength(CHAT_VIEWS.length - 1);
  });

  it('reads a view as one page without outside network', async () => {
    const uri = 'ui://carillon/preview';

    const { contents } = await (await open()).readResource({ uri });

    expect(contents).toEqual([
      { uri, mimeType: 'text/html;profile=mcp-app', text: expect.stringMatching(/^<!doctype html>/), _meta: OWN_META },
    ]);
  });

  it('gets the same text and the same structured answer as any other client', async () => {
    const call = { name: 'list_connections', arguments: {} };

    const { content, structuredContent } = await (await open()).callTool(call);

    const other = await (await connect(world)).callTool(call);
    expect({ content, structuredContent }).toEqual({
      content: other.content,
      structuredContent: other.structuredContent,
    });
  });
});

describe('a client that does not negotiate views', () => {
  it.each([
    ['no extension', {}],
    ['another extension', { extensions: { 'io.example/ui': { mimeTypes: [RESOURCE_MIME_TYPE] } } }],
    ['another type of view', { extensions: { [EXTENSION_ID]: { mimeTypes: ['text/uri-list'] } } }],
    ['no type of view', { extensions: { [EXTENSION_ID]: {} } }],
  ])('sees no difference: with %s', async (_what, capabilities) => {
    for (const era of ['modern', 'legacy'] as const) {
      const client = await connect(world, era, world.liveKey, '/mcp', capabilities);

      const { tools } = await client.listTools();
      expect(client.getServerCapabilities()?.extensions?.[EXTENSION_ID]).toBeUndefined();
      expect(tools.filter(({ _meta }) => _meta !== undefined)).toEqual([]);
      expect(await uris(client)).toEqual([]);
      await expect(client.readResource({ uri: 'ui://carillon/preview' })).rejects.toMatchObject({ code: -32_602 });
    }
  });

  it('gets no session id', async () => {
    const answer = await callRaw(world, { body: handshake({}) });

    expect(answer.headers['mcp-session-id']).toBeUndefined();
  });
});

describe('the session id of the revisions before 2026-07-28', () => {
  it('marks the client in later requests, at any process, and grants nothing', async () => {
    const begun = await callRaw(world, { body: handshake(NEGOTIATED) });
    const sessionId = String(begun.headers['mcp-session-id']);

    const listed = await callRaw(world, { headers: { 'mcp-session-id': sessionId }, body: legacy('resources/list') });
    const unmarked = await callRaw(world, { body: legacy('resources/list') });
    const keyless = await callRaw(world, {
      headers: { 'mcp-session-id': sessionId, 'x-api-key': undefined },
      body: legacy('resources/list'),
    });

    expect(sessionId).toMatch(/^ui-[\da-f-]{36}$/);
    expect(listed.text).toContain('ui://carillon/preview');
    expect(unmarked.text).not.toContain('ui://');
    expect(keyless.status).toBe(401);
  });

  it('is another one each time', async () => {
    const [first, second] = await Promise.all([
      callRaw(world, { body: handshake(NEGOTIATED) }),
      callRaw(world, { body: handshake(NEGOTIATED) }),
    ]);

    expect(first.headers['mcp-session-id']).not.toBe(second.headers['mcp-session-id']);
  });

  it.each([
    ['a capability that is no object', { extensions: { [EXTENSION_ID]: null } }],
    ['extensions that are a list', { extensions: [EXTENSION_ID] }],
    ['types that are a text', { extensions: { [EXTENSION_ID]: { mimeTypes: RESOURCE_MIME_TYPE } } }],
    ['no capabilities', null],
  ])('is not given for %s', async (_what, capabilities) => {
    const answer = await callRaw(world, { body: handshake(capabilities) });

    expect(answer.status).toBeLessThan(500);
    expect(answer.headers['mcp-session-id']).toBeUndefined();
  });
});

describe('the table of views', () => {
  const tools = new Map(
    operations.flatMap(({ meta: { tool } }) => ('name' in tool ? [[tool.name, tool] as const] : [])),
  );

  it('names tools that exist, each with at most one view', () => {
    const named = CHAT_VIEWS.flatMap((view) => view.tools);

    expect(named.filter((name) => !tools.has(name))).toEqual([]);
    expect(new Set(named).size).toBe(named.length);
  });

  it('lets views call only tools that read', () => {
    const called = CHAT_VIEWS.flatMap(({ calls }) => calls);

    expect(called.filter((name) => tools.get(name)?.readOnly !== true)).toEqual([]);
  });

  it('has a row for each folder', () => {
    const folders = globSync('console/app/chat/*/main.tsx').map((file) => file.replaceAll('\\', '/').split('/').at(-2));

    expect(new Set(folders)).toEqual(new Set(CHAT_VIEWS.map(({ name }) => name)));
  });

  it('gives each view a title and a description', () => {
    for (const { title, description } of CHAT_VIEWS) {
      expect(title).toMatch(/^[A-Z]/);
      expect(description.length).toBeGreaterThanOrEqual(40);
    }
  });
});

function handshake(capabilities: unknown): string {
  return legacy('initialize', {
    protocolVersion: '2025-11-25',
    capabilities,
    clientInfo: { name: 'bare', version: '1' },
  });
}
