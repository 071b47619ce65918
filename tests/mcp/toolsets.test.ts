/** The tools that each path shows, and that no hidden ones can be called. */
import { beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../routers/operations.ts';
import { TOOLSETS, type Toolset } from '../../routers/toolsets.ts';
import { SCOPES } from '../../services/access/scopes.ts';
import { startWorld, type World } from '../harness/world.ts';
import { callRaw, connect, legacy } from './clients.ts';

const TOOLS = operations.flatMap(({ meta }) => ('none' in meta.tool ? [] : [meta.tool]));
const namesOf = (wanted: (tool: (typeof TOOLS)[number]) => boolean) => TOOLS.filter(wanted).map(({ name }) => name);

let world: World;
beforeAll(async () => {
  world = await startWorld();
});

const listed = async (path: string): Promise<string[]> => {
  const { body } = await callRaw(world, { path, body: legacy('tools/list') });
  return body.result.tools.map(({ name }: { name: string }) => name);
};

describe('a path', () => {
  it('/mcp has the documented tools', async () => {
    expect(await listed('/mcp')).toEqual(
      expect.arrayContaining([
        'list_connections',
        'get_queue',
        'validate_post',
        'create_post',
        'list_posts',
        'get_post',
        'update_draft',
        'publish_draft',
        'retry_post',
        'delete_post',
        'get_post_metrics',
        'get_analytics',
        'get_platform_rules',
        'list_profiles',
        'upload_media_from_url',
        'start_connection',
        'get_connect_session',
      ]),
    );
  });

  it.each(Object.keys(TOOLSETS) as Toolset[])('/mcp/x/%s has the tools of that toolset', async (toolset) => {
    const names = await listed(`/mcp/x/${toolset}`);

    expect(names.length).toBeGreaterThan(0);
    expect(names).toEqual(namesOf((tool) => tool.toolset === toolset));
  });

  it('/mcp/all has all tools except those for keys and approvals', async () => {
    expect(await listed('/mcp/all')).toEqual(namesOf(({ toolset }) => toolset !== 'keys' && toolset !== 'approvals'));
  });

  it.each(['/mcp', '/mcp/all', ...Object.keys(TOOLSETS).map((toolset) => `/mcp/x/${toolset}`)])(
    '%s/readonly has only those that change nothing',
    async (path) => {
      const readOnly = new Set(namesOf((tool) => tool.readOnly));

      expect(await listed(`${path}/readonly`)).toEqual((await listed(path)).filter((name) => readOnly.has(name)));
    },
  );

  it('has no hidden tools', async () => {
    const client = await connect(world, 'modern', world.liveKey, '/mcp/readonly');

    const body = { text: 'Ding', connectionSlugs: [world.sandboxSlug] };
    await expect(client.callTool({ name: 'create_post', arguments: body })).rejects.toMatchObject({ code: -32_602 });
    expect(await world.sql('select id from posts')).toEqual([]);
  });

  it.each(['/mcp/x/bells', '/mcp/x', '/mcp/x/', '/mcp/bells', '/mcp/all/x', '/mcp/x/__proto__', '/mcp/readonly/all'])(
    '%s is 404, and names the toolsets',
    async (path) => {
      const answer = await callRaw(world, { path, body: legacy('tools/list') });

      expect(answer.status).toBe(404);
      expect(answer.body).toEqual({
        error: 'not_found',
        message: `There are no tools at ${path}. Use /mcp, /mcp/all or /mcp/x/{toolset} with one of the toolsets ${Object.keys(TOOLSETS).join(', ')}; each can be followed by /readonly.`,
        hint: expect.any(String),
        docs: expect.any(String),
        retryable: false,
      });
    },
  );

  it('that is unknown reveals nothing to a caller without a key', async () => {
    expect((await callRaw(world, { path: '/mcp/x/bells', headers: { 'x-api-key': undefined } })).status).toBe(401);
  });

  it('counts in the bucket of /mcp', async () => {
    const remaining = async (path: string) =>
      Number((await callRaw(world, { path, body: legacy('ping') })).headers['x-ratelimit-remaining']);

    const first = await remaining('/mcp');
    expect(await remaining('/mcp/x/webhooks')).toBe(first - 1);
    expect(await remaining('/mcp/all/readonly')).toBe(first - 2);
    expect(await remaining('/mcp/x/bells')).toBe(first - 3);
  });
});

describe('every tool of every path', () => {
  it('follows the rules: a description, described arguments, at most 20 in a set and 24 KB in its list', async () => {
    for (const toolset of Object.keys(TOOLSETS)) {
      const { text, body } = await callRaw(world, { path: `/mcp/x/${toolset}`, body: legacy('tools/list') });
      expect(body.result.tools.length).toBeLessThanOrEqual(20);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(24 * 1024);
      for (const { name, description, inputSchema } of body.result.tools) {
        expect({ name, description }).toEqual({ name, description: expect.stringMatching(/^.{40,1024}$/s) });
        for (const [argument, schema] of Object.entries(inputSchema.properties)) {
          const described = (schema as { description?: string }).description;
          expect({ name, argument, described }).toEqual({
            name,
            argument,
            described: expect.stringMatching(/^.{10,1024}$/s),
          });
        }
      }
    }
  });

  it('has a unique name', () => {
    expect(new Set(TOOLS.map(({ name }) => name)).size).toBe(TOOLS.length);
  });

  it('that deletes, disconnects, revokes or approves asks for confirmation', () => {
    const ending = namesOf(({ name }) => /^(delete|disconnect|revoke|approve)_/.test(name));

    expect(namesOf(({ confirmation }) => confirmation !== undefined)).toEqual(ending);
    expect(ending.length).toBeGreaterThan(5);
  });

  it('but the decisions of people needs a scope, and every scope on the consent page enables some tools', () => {
    const needed = operations.flatMap(({ meta }) =>
      'none' in meta.tool || meta.tool.toolset === 'approvals' ? [] : [meta.scope],
    );

    expect(new Set(needed)).toEqual(new Set(Object.keys(SCOPES)));
  });
});
