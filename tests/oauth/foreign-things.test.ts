/** An id grants no access: each tool and resource treats an object of another account as missing. */
import { beforeAll, expect, it } from 'vitest';
import { ERROR_META_KEY } from '../../mcp/tool-results.ts';
import { operations } from '../../routers/operations.ts';
import { SCOPES } from '../../services/access/scopes.ts';
import { makeAccount } from '../harness/accounts.ts';
import { plain } from '../harness/images.ts';
import { deliveriesOf } from '../harness/receiver.ts';
import { startWorld, type World } from '../harness/world.ts';
import { type Answer, callMcp, signIn, tokensFor } from './agents.ts';

let world: World;
let token: string;
let theirs: Record<string, string>;
beforeAll(async () => {
  world = await startWorld();
  const other = await makeAccount(world);
  token = (await tokensFor(world, await signIn(world, other.id), { scope: Object.keys(SCOPES).join(' ') })).access;
  theirs = await thingsOfTheFirst();
});

/** Ids of the first account's objects, by the names of the tool arguments. */
async function thingsOfTheFirst(): Promise<Record<string, string>> {
  const { id: profileId } = await world.profile();
  const post = { text: 'Ding', connectionSlugs: [world.sandboxSlug], isDraft: true };
  const { results } = (await world.rest('POST /posts', { body: post })).body;
  const { webhook } = (await world.rest('POST /webhooks', { body: { url: 'http://127.0.0.1:9/hook' } })).body;
  const { connections } = (await world.rest('GET /connections')).body;
  const session = { redirectUrl: 'https://app.example/done' };
  const { connectSessionId } = (await world.rest(`POST /profiles/${profileId}/connect`, { body: session })).body;
  return {
    profileId,
    postId: results[0].postId,
    webhookId: webhook.id,
    connectionId: connections[0].id,
    connectSessionId,
    mediaId: await anImage(),
    ...(await aKey(profileId)),
    deliveryId: await aDelivery(webhook.id),
    ...(await aCalendar()),
    ...(await anImport()),
    ...(await aFeed()),
  };
}

async function anImage(): Promise<string> {
  const raw = await plain(4, 4).png().toBuffer();
  return (await world.rest('POST /media', { raw, headers: { 'content-type': 'image/png' } })).body.media.id;
}

async function aKey(profileId: string): Promise<{ keyId: string }> {
  return { keyId: (await world.key({ profileId })).id };
}

async function aCalendar(): Promise<{ calendarId: string }> {
  return { calendarId: (await world.rest('POST /calendars', { body: {} })).body.calendar.id };
}

async function anImport(): Promise<{ importId: string }> {
  const file = { format: 'json', content: JSON.stringify([{ text: 'Ding', connectionSlugs: [world.sandboxSlug] }]) };
  return { importId: (await world.rest('POST /imports', { body: file })).body.import.id };
}

async function aFeed(): Promise<{ feedId: string }> {
  const feed = { url: 'https://feeds.example/news', connectionSlugs: [world.sandboxSlug] };
  return { feedId: (await world.rest('POST /feeds', { body: feed })).body.feed.id };
}

async function aDelivery(webhookId: string): Promise<string> {
  await world.rest(`POST /webhooks/${webhookId}/test`);
  return (await deliveriesOf(world, webhookId))[0]?.id ?? '';
}

/** Further arguments that a tool needs. */
const BESIDE: Readonly<Record<string, object>> = {
  move_connection: { profileId: null },
  update_draft: { text: 'Dong' },
  set_post_tags: { tags: ['theirs'] },
  update_profile: { name: 'Mine' },
  start_connection: { redirectUrl: 'https://app.example/done' },
  update_queue: { paused: true },
  order_queue: { postIds: ['00000000-0000-7000-8000-000000000000'] },
  reschedule_post: { queue: true },
  update_webhook: { enabled: false },
  update_feed: { enabled: false },
  update_connection: { description: 'Mine' },
  mint_key: { name: 'Mine', type: 'live' },
};

/** The days of the objects. */
const MONTH = { from: '2026-11-01', to: '2026-11-30' };

/** Tools of operations whose path names an object, with the names of its ids. */
const NAMING = operations.flatMap(({ meta: { tool, openapi, scope } }): [string, string, string[]][] => {
  const ids = [...openapi.path.matchAll(/\{(\w+)\}/g)].map(([, id = '']) => id);
  // No access token may call an operation without a scope.
  if ('none' in tool || ids.length === 0 || scope === null) return [];
  return [[tool.name, tool.toolset === 'keys' ? '/mcp/x/keys' : '/mcp/all', ids]];
});

async function call(path: string, message: object): Promise<Answer> {
  return callMcp(world, token, { jsonrpc: '2.0', id: 1, ...message }, path);
}

it('all of these objects exist', () => {
  const ids = [...new Set(NAMING.flatMap(([, , names]) => names))].toSorted();

  expect(Object.keys(theirs).toSorted()).toEqual(ids);
  for (const id of ids) expect(theirs[id]).toMatch(/^[0-9a-f-]{36}$/);
});

it.each(NAMING)('%s finds nothing of another account', async (name, path, ids) => {
  const before = await everything();
  const input = { ...Object.fromEntries(ids.map((id) => [id, theirs[id]])), ...BESIDE[name] };

  const { body } = await call(path, { method: 'tools/call', params: { name, arguments: input } });

  expect(body.result).toMatchObject({ isError: true, _meta: { [ERROR_META_KEY]: { code: 'not_found' } } });
  expect(await everything()).toEqual(before);
});

it.each([
  ['post', () => `carillon://posts/${theirs['postId']}`],
  ['connection', () => `carillon://connections/${world.sandboxSlug}`],
])('the resource of a %s of another account does not exist', async (_name, uri) => {
  const { body } = await call('/mcp', { method: 'resources/read', params: { uri: uri() } });

  expect(body.error).toMatchObject({ code: -32_602 });
});

it('no list and no completion shows anything of another account', async () => {
  const completion = {
    ref: { type: 'ref/resource', uri: 'carillon://connections/{slug}' },
    argument: { name: 'slug', value: '' },
  };
  const answers = [
    await call('/mcp', { method: 'tools/call', params: { name: 'list_posts', arguments: {} } }),
    await call('/mcp/all', { method: 'tools/call', params: { name: 'list_calendar', arguments: MONTH } }),
    await call('/mcp', { method: 'tools/call', params: { name: 'list_connections', arguments: {} } }),
    await call('/mcp', { method: 'tools/call', params: { name: 'list_profiles', arguments: {} } }),
    ...(await Promise.all(['list_calendars', 'list_imports', 'list_feeds'].map(listed))),
    await call('/mcp', { method: 'resources/read', params: { uri: 'carillon://connections' } }),
    await call('/mcp', { method: 'resources/read', params: { uri: 'carillon://approvals' } }),
    await call('/mcp', { method: 'completion/complete', params: completion }),
  ];

  expect(answers.map(({ status, body }) => [status, body.error])).toEqual(answers.map(() => [200, undefined]));
  const shown = JSON.stringify(answers.map(({ body }) => body));
  expect([...Object.values(theirs), world.sandboxSlug].filter((id) => shown.includes(id))).toEqual([]);
});

function listed(name: string): Promise<Answer> {
  return call('/mcp/all', { method: 'tools/call', params: { name, arguments: {} } });
}

/** Everything that could have been changed, in full. */
function everything(): Promise<unknown> {
  const tables = [
    'posts',
    'connections',
    'profiles',
    'webhooks',
    'deliveries',
    'api_keys',
    'media',
    'connect_sessions',
    'calendars',
    'imports',
    'feeds',
  ];
  return Promise.all(tables.map((table) => world.sql(`select * from ${table} order by 1`)));
}
