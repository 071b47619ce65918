/**
 * Every operation is declared once and answers the same on every surface. Each operation has a sample input here. A new
 * operation without a sample fails the first test. One that answers differently on REST, MCP or the typed client fails
 * its own test.
 */
import { createTRPCClient, httpLink } from '@trpc/client';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import type { AppRouter } from '../routers/index.ts';
import { type Operation, operations } from '../routers/operations.ts';
import { APART } from '../routers/toolsets.ts';
import { successStatusOf } from '../routers/meta.ts';
import { createOpenApiDocument } from '../server/openapi.ts';
import { callOverRest } from './harness/call-operation.ts';
import { startWorld } from './harness/world.ts';
import { connect } from './mcp/clients.ts';

const world = await startWorld();
const document = createOpenApiDocument('http://localhost:3000', '2.0.0');
// Keys and approvals have separate paths.
const mcp = await Promise.all(
  ['/mcp/all', ...[...APART].map((toolset) => `/mcp/x/${toolset}`)].map((path) =>
    connect(world, 'modern', world.liveKey, path),
  ),
);
const typed = createTRPCClient<AppRouter>({
  links: [httpLink({ url: `${world.url}/trpc`, headers: { 'x-api-key': world.liveKey } })],
});

const { body: firstPost } = await world.rest('POST /posts', {
  body: { text: 'First', connectionSlugs: [world.sandboxSlug] },
});
const { body: listed } = await world.rest('GET /connections');
const postId: string = firstPost.results[0].postId;
const connectionId: string = listed.connections[0].id;
const profile = await world.profile();
const profileKey = await world.key({ profileId: profile.id });
const { body: link } = await world.rest(`POST /profiles/${profile.id}/connect`, {
  body: { redirectUrl: 'https://app.example/done' },
});
const { body: registered } = await world.rest('POST /webhooks', { body: { url: 'http://127.0.0.1:9/hook' } });
const webhookId: string = registered.webhook.id;
const connectSessionId: string = link.connectSessionId;
const UNKNOWN = '00000000-0000-7000-8000-000000000000';

/** An input that can be sent three times and gets the same answer each time, except for new ids. */
const SAMPLES: Record<string, Record<string, unknown>> = {
  'connections.list': {},
  'connections.get': { connectionId },
  'connections.connect': { platformId: 'sandbox', credentials: { unexpected: true } },
  'connections.delete': { connectionId: UNKNOWN },
  'connections.move': { connectionId, profileId: null },
  'connections.queue': { connectionId },
  'connections.updateQueue': { connectionId, slots: [{ weekday: 1, time: '09:00' }], timezone: 'Europe/Paris' },
  'connections.orderQueue': { connectionId, postIds: [postId] },
  'connections.updateSettings': { connectionId, description: 'Sandbox', rewriteMode: 'off' },
  'connect.create': {
    profileId: profile.id,
    platform: 'sandbox',
    redirectUrl: 'https://app.example/done',
    headless: false,
  },
  'connect.createLink': { platform: 'sandbox', headless: true },
  'connect.list': { status: 'pending', limit: 1, profileId: profile.id },
  'connect.cancel': { connectSessionId: UNKNOWN },
  'connect.get': { connectSessionId },
  'account.get': {},
  'audit.list': { actorKind: 'customer', limit: 2 },
  'account.update': { xAnalytics: false, xSpendCapCents: null },
  'posts.create': { text: 'The same on every surface', connectionSlugs: [world.sandboxSlug, 'nowhere'] },
  'posts.createSimple': { connectionSlug: world.sandboxSlug, text: 'Plain and simple' },
  'posts.validate': { text: 'The same on every surface', connectionSlugs: [world.sandboxSlug, 'nowhere'] },
  'posts.rewrite': { text: 'The same on every surface', connectionSlug: world.sandboxSlug },
  'posts.update': { postId: UNKNOWN, text: 'New words' },
  'posts.setTags': { postId, tags: ['bells'] },
  'posts.publish': { postId: UNKNOWN },
  'posts.retry': { postId: UNKNOWN },
  'posts.reschedule': { postId: UNKNOWN, queue: true },
  'media.upload': { bytes: Buffer.from('no image').toString('base64'), contentType: 'image/png', altText: 'Nothing' },
  'media.uploadFromUrl': { url: 'http://127.0.0.1:9/bell.png', altText: 'A bell' },
  'media.raw': { mediaId: UNKNOWN },
  'media.list': { unused: true, limit: 2 },
  'media.get': { mediaId: UNKNOWN },
  'media.proposeAltText': { mediaId: UNKNOWN, language: 'de' },
  'media.delete': { mediaId: UNKNOWN },
  'posts.list': { limit: 2, offset: 0 },
  'posts.calendar': { from: '2026-11-01', to: '2026-12-21', limit: 2 },
  'posts.get': { postId },
  'posts.delete': { postId: UNKNOWN },
  'posts.attempts': { postId },
  'posts.events': { postId },
  'posts.metrics': { postId },
  'analytics.get': { from: '2026-11-01', platform: 'sandbox', tag: ['news'], include: ['tags', 'times'] },
  'platforms.list': {},
  'profiles.create': { name: '' },
  'profiles.list': { limit: 2, offset: 0 },
  'profiles.get': { profileId: profile.id },
  'profiles.update': { profileId: profile.id, name: 'Acme Bells', externalId: null },
  'profiles.voice': { profileId: profile.id },
  'profiles.setVoice': { profileId: profile.id, rules: ['Be brief.'], bannedPhrases: ['synergy'] },
  'profiles.delete': { profileId: UNKNOWN },
  'keys.mint': { profileId: profile.id, name: 'Acme', type: 'neither' },
  'keys.listOfProfile': { profileId: profile.id, includeRevoked: true },
  'keys.revokeOfProfile': { profileId: profile.id, keyId: profileKey.id },
  'keys.list': { includeRevoked: false, limit: 2, offset: 0 },
  'keys.revoke': { keyId: UNKNOWN },
  'webhooks.create': { url: 'http://127.0.0.1:9/hook', events: ['post.read'] },
  'webhooks.list': {},
  'webhooks.update': { webhookId, description: 'Bells', events: ['post.sent'] },
  'webhooks.rotateSecret': { webhookId: UNKNOWN },
  'webhooks.delete': { webhookId: UNKNOWN },
  'webhooks.deliveries': { webhookId, limit: 2 },
  'webhooks.delivery': { webhookId, deliveryId: UNKNOWN },
  'webhooks.replay': { webhookId, deliveryId: UNKNOWN },
  'webhooks.test': { webhookId: UNKNOWN },
  'calendars.create': { profileId: profile.id, connectionId },
  'calendars.list': {},
  'calendars.renew': { calendarId: UNKNOWN },
  'calendars.revoke': { calendarId: UNKNOWN },
  'imports.start': { format: 'json', content: '[{"text":"Nowhere"}]' },
  'imports.list': {},
  'imports.get': { importId: UNKNOWN },
  'imports.cancel': { importId: UNKNOWN },
  'feeds.create': { url: 'https://bells.example/feed', connectionSlugs: ['nowhere'] },
  'feeds.preview': { url: 'http://127.0.0.1:9/feed' },
  'feeds.list': {},
  'stops.list': { includeReleased: true },
  'stops.start': { keyId: UNKNOWN },
  'stops.release': { stopId: UNKNOWN, posts: 'send' },
  'policies.list': { limit: 2 },
  'policies.get': { policyId: UNKNOWN },
  'policies.set': { policyId: UNKNOWN, postsPerDay: 3 },
  'policies.try': { policyId: UNKNOWN, approvalWords: ['refund'] },
  'policies.remove': { policyId: UNKNOWN },
  'approvals.list': { state: 'rejected' },
  'approvals.approve': { postId: UNKNOWN },
  'approvals.reject': { postId: UNKNOWN, reason: 'No.' },
  'feeds.get': { feedId: UNKNOWN },
  'feeds.update': { feedId: UNKNOWN, enabled: false },
  'feeds.poll': { feedId: UNKNOWN },
  'feeds.delete': { feedId: UNKNOWN },
  'public.health': {},
  'public.healthHistory': { days: 2 },
  'public.stats': {},
  'simulation.clock': {},
  'simulation.advance': { advanceSeconds: 1 },
};

/** Ids and permalinks that differ in each call. */
function withoutNewIds(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, item: unknown) => {
      if (['postId', 'req_id'].includes(key) && item !== null) return 'new id';
      if (key === 'connectSessionId') return 'new id';
      return ['url', 'link'].includes(key) && item !== null ? 'new permalink' : item;
    }),
  );
}

async function overTypedClient(operation: Operation, input: unknown): Promise<unknown> {
  const [folder = '', name = ''] = operation.name.split('.');
  const verb = operation.procedure._def.type === 'query' ? 'query' : 'mutate';
  // eslint-disable-next-line typescript/no-explicit-any -- the test calls procedures by name
  const procedure = (typed as any)[folder][name];
  try {
    return await procedure[verb](input);
  } catch (error) {
    return (error as { data: { error: unknown } }).data.error;
  }
}

describe('the operations', () => {
  it('each have a sample here', () => {
    expect(Object.keys(SAMPLES).toSorted()).toEqual(operations.map(({ name }) => name).toSorted());
  });

  it('are each in the document under their REST path', () => {
    const missing = operations.filter(
      ({ meta }) => document.paths[meta.openapi.path]?.[meta.openapi.method.toLowerCase()] === undefined,
    );

    expect(missing).toEqual([]);
  });

  it('are the whole document, with the streams and the document itself', () => {
    const inDocument = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const declared = operations.map(({ meta }) => `${meta.openapi.method} ${meta.openapi.path}`);

    expect(inDocument.toSorted()).toEqual(
      [...declared, 'GET /events', 'GET /exports/{kind}', 'GET /openapi.json'].toSorted(),
    );
  });

  it('are each a tool, or declare why not', async () => {
    const lists = await Promise.all(mcp.map((client) => client.listTools()));
    const tools = lists.flatMap((list) => list.tools);
    const named = operations.flatMap(({ meta }) => ('name' in meta.tool ? [meta.tool.name] : []));
    const reasons = operations.flatMap(({ meta }) => ('none' in meta.tool ? [meta.tool.none] : []));

    expect(tools.map(({ name }) => name).toSorted()).toEqual(named.toSorted());
    expect(reasons.filter((reason) => reason.length < 20)).toEqual([]);
  });

  it('each declare the status they succeed with and every error they can answer', () => {
    const undeclared = operations.filter(({ meta }) => {
      const responses = Object.keys(
        document.paths[meta.openapi.path]?.[meta.openapi.method.toLowerCase()]?.responses ?? {},
      );
      const success = String(successStatusOf(meta));
      return !responses.includes(success) || !responses.includes('429') || !responses.includes('500');
    });

    expect(undeclared).toEqual([]);
  });
});

describe.for(operations.map((operation) => ({ name: operation.name, operation })))('$name', ({ name, operation }) => {
  it('answers the same over REST, the typed client and, if it is a tool, MCP', async () => {
    const input = SAMPLES[name] ?? {};

    const rest = withoutNewIds((await callOverRest(world, operation, input)).body);
    const typedAnswer = withoutNewIds(await overTypedClient(operation, input));

    expect(typedAnswer).toEqual(rest);
    const { tool } = operation.meta;
    if ('none' in tool) return;
    const client = mcp[1 + [...APART].indexOf(tool.toolset)];
    const called = (await client?.callTool({ name: tool.name, arguments: input })) as CallToolResult;
    if (called.isError) expect(JSON.stringify(called.content)).toContain((rest as { error: string }).error);
    else expect(withoutNewIds(called.structuredContent)).toEqual(rest);
  });
});
