/** Agents of people whose role lacks the scope of a tool: no consent can give it, so no person is asked for it. */
import { expect, it } from 'vitest';
import { ERROR_META_KEY } from '../../mcp/tool-results.ts';
import { startWorld } from '../harness/world.ts';
import { callRaw, legacy, MODERN } from '../mcp/clients.ts';
import { callMcp, signIn, tokensFor } from './agents.ts';

const world = await startWorld();
const viewer = await signIn(world, undefined, 'viewer');
const { access } = await tokensFor(world, viewer, { scope: 'posts:read posts:write' });
const id = world.context.random.uuid();

const call = (name: string, input: object, number = 1) => ({
  jsonrpc: '2.0',
  id: number,
  method: 'tools/call',
  params: { name, arguments: input },
});

it.each([
  ['create_post', 'posts:write', { text: 'Ding', connectionSlugs: [world.sandboxSlug] }, '/mcp'],
  ['delete_post', 'posts:write', { postId: id }, '/mcp'],
  ['revoke_key', 'keys:write', { keyId: id }, '/mcp/x/keys'],
])('%s is refused with the role, and without a challenge', async (name, scope, input, path) => {
  const { status, headers, body } = await callMcp(world, access, call(name, input), path);

  const { isError, content, _meta: meta } = body.result;
  expect([status, headers.get('www-authenticate'), isError]).toEqual([200, null, true]);
  expect(meta[ERROR_META_KEY].code).toBe('forbidden');
  expect(content[0].text).toContain(
    `The role of the person who allowed this agent, viewer, lacks ${scope}. Ask an owner of the account.`,
  );
});

it('a tool that the role lacks asks for no confirmation', async () => {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
  };
  const { body } = await callRaw(world, {
    headers: {
      'x-api-key': undefined,
      authorization: `Bearer ${access}`,
      'mcp-protocol-version': MODERN,
      'mcp-method': 'tools/call',
      'mcp-name': 'delete_post',
    },
    body: legacy('tools/call', { name: 'delete_post', arguments: { postId: id }, _meta: meta }),
  });

  expect(body.result).toMatchObject({ isError: true, _meta: { [ERROR_META_KEY]: { code: 'forbidden' } } });
});

it('a batch asks only for the scopes that the role has', async () => {
  const batch = [call('create_post', {}), call('list_connections', {}, 2)];

  const { status, headers } = await callMcp(world, access, batch);

  expect(status).toBe(403);
  expect(headers.get('www-authenticate')).toContain('scope="connections:read"');
});
