/**
 * Checks every operation over every surface, with the inputs of the scoping table. A change writes one audit entry with
 * actor, operation, object and outcome. A read writes none. The test fails for a new change that is not listed here.
 */
import { createTRPCClient, httpLink } from '@trpc/client';
import { describe, expect, it } from 'vitest';
import type { AppRouter } from '../../routers/index.ts';
import { type Operation, operations } from '../../routers/operations.ts';
import { callOverRest } from '../harness/call-operation.ts';
import { UUID } from '../harness/expected.ts';
import { makeTenant, type Tenant } from '../harness/tenant.ts';
import { startPolishedWorld } from '../harness/polished-world.ts';
import { ERROR_META_KEY } from '../../mcp/tool-results.ts';
import { connect } from '../mcp/clients.ts';
import { TABLE } from '../routers/scoping-table.ts';

const { world } = await startPolishedWorld({ AI_SEES_IMAGES: 'true' }, { clock: 'manual' });

type Fields = Record<string, unknown>;
// eslint-disable-next-line typescript/no-explicit-any -- answers of all operations; tests read known fields
type Answer = any;

const input = (type: string, field: string) => (fields: Fields) => ({ type, ids: [fields[field]] });

/** The subject of each change, from its request and its answer. */
const OBJECTS: Record<string, (fields: Fields, answer: Answer, accountId: string) => unknown> = {
  'connections.connect': (_, { connection }) => ({ type: 'connection', ids: [connection.id] }),
  'connections.delete': input('connection', 'connectionId'),
  'connections.move': input('connection', 'connectionId'),
  'connections.updateQueue': input('connection', 'connectionId'),
  'connections.orderQueue': input('connection', 'connectionId'),
  'connections.updateSettings': input('connection', 'connectionId'),
  'connect.createLink': (_, { connectSessionId }) => ({ type: 'connect_session', ids: [connectSessionId] }),
  'connect.cancel': input('connect_session', 'connectSessionId'),
  'connect.create': (_, { connectSessionId }) => ({ type: 'connect_session', ids: [connectSessionId] }),
  'account.update': (_fields, _answer, accountId) => ({ type: 'account', ids: [accountId] }),
  'posts.create': (_, { results }) => ({ type: 'post', ids: results.map((result: Answer) => result.postId) }),
  'posts.createSimple': () => ({ type: 'post', ids: [UUID] }),
  'posts.update': input('post', 'postId'),
  'posts.setTags': input('post', 'postId'),
  'posts.publish': input('post', 'postId'),
  'posts.retry': input('post', 'postId'),
  'posts.reschedule': input('post', 'postId'),
  'posts.delete': input('post', 'postId'),
  'stops.start': (_, { stop }) => ({ type: 'stop', ids: [stop.id] }),
  'stops.release': input('stop', 'stopId'),
  'policies.set': input('policy', 'policyId'),
  'policies.remove': input('policy', 'policyId'),
  'approvals.approve': input('post', 'postId'),
  'approvals.reject': input('post', 'postId'),
  'media.upload': (_, { media }) => ({ type: 'media', ids: [media.id] }),
  // Nothing listens at the address in this row, so nothing was stored.
  'media.uploadFromUrl': () => null,
  'media.delete': input('media', 'mediaId'),
  'profiles.create': (_, { profile }) => ({ type: 'profile', ids: [profile.id] }),
  'profiles.update': input('profile', 'profileId'),
  'profiles.setVoice': input('profile', 'profileId'),
  'profiles.delete': input('profile', 'profileId'),
  'keys.mint': (_, { key }) => ({ type: 'key', ids: [key.id] }),
  'keys.revokeOfProfile': input('key', 'keyId'),
  'keys.revoke': input('key', 'keyId'),
  'webhooks.create': (_, { webhook }) => ({ type: 'webhook', ids: [webhook.id] }),
  'webhooks.update': input('webhook', 'webhookId'),
  'webhooks.rotateSecret': input('webhook', 'webhookId'),
  'webhooks.delete': input('webhook', 'webhookId'),
  'webhooks.replay': input('delivery', 'deliveryId'),
  'webhooks.test': input('webhook', 'webhookId'),
  'calendars.create': (_, { calendar }) => ({ type: 'calendar', ids: [calendar.id] }),
  'calendars.renew': input('calendar', 'calendarId'),
  'imports.start': (_, answer) => ({ type: 'import', ids: [answer.import.id] }),
  'imports.cancel': input('import', 'importId'),
  'feeds.create': (_, { feed }) => ({ type: 'feed', ids: [feed.id] }),
  'feeds.update': input('feed', 'feedId'),
  'feeds.poll': input('feed', 'feedId'),
  'feeds.delete': input('feed', 'feedId'),
  'calendars.revoke': input('calendar', 'calendarId'),
  'simulation.advance': () => null,
};

/** A separate tenant, and the first input that the scoping table has for an operation. */
async function arrange(operation: Operation) {
  const tenant = await makeTenant(world);
  const row = TABLE.find((candidate) => candidate.operation === operation.name);
  if (row === undefined) throw new Error(`${operation.name} has no row in the scoping table`);
  const fields = (await row.input(tenant)) as Fields;
  const [account] = await world.sql<{ id: string; key: string }>(
    `select k.account_id as id, k.id as key from profiles p join api_keys k on k.account_id = p.account_id
     where p.id = $1 and k.profile_id is null and k.type = 'live' and k.revoked_at is null`,
    [tenant.a.id],
  );
  if (account === undefined) throw new Error('the tenant has no account');
  return { tenant, fields, account };
}

const auditOf = async ({ secrets }: Tenant): Promise<Answer[]> => {
  return (await world.rest('GET /audit?limit=100', { key: secrets.live })).body.entries;
};

const surfaces = {
  rest: async (operation: Operation, fields: Fields, key: string) => {
    const { status, headers, body } = await callOverRest(world, operation, fields, key);
    return {
      answer: body as Answer,
      code: status < 300 ? 'ok' : (body as Answer).error,
      requestId: headers.get('x-request-id'),
    };
  },
  trpc: async (operation: Operation, fields: Fields, key: string) => {
    const [folder = '', name = ''] = operation.name.split('.');
    const headers = { 'x-api-key': key };
    const client = createTRPCClient<AppRouter>({ links: [httpLink({ url: `${world.url}/trpc`, headers })] });
    const verb = operation.procedure._def.type === 'query' ? 'query' : 'mutate';
    try {
      return { answer: await (client as Answer)[folder][name][verb](fields), code: 'ok', requestId: UUID };
    } catch (error) {
      return { answer: {}, code: (error as Answer).data.error.error, requestId: UUID };
    }
  },
  mcp: async (operation: Operation, fields: Fields, key: string) => {
    const { tool } = operation.meta;
    if ('none' in tool) throw new Error(`${operation.name} is no tool`);
    const client = await connect(world, 'modern', key, `/mcp/x/${tool.toolset}`);
    const result = await client.callTool({ name: tool.name, arguments: fields });
    await client.close();
    const refusal = result._meta?.[ERROR_META_KEY] as { code: string } | undefined;
    return { answer: result.structuredContent as Answer, code: refusal?.code ?? 'ok', requestId: UUID };
  },
};

type SurfaceName = keyof typeof surfaces;
const surfacesOf = ({ meta }: Operation): SurfaceName[] => [
  'rest',
  'trpc',
  ...('name' in meta.tool ? ['mcp' as const] : []),
];

const named = (which: (name: string) => boolean) =>
  operations.filter(({ name }) => which(name)).map((operation) => ({ name: operation.name, operation }));
const reads = named((name) => !(name in OBJECTS));
const changes = named((name) => name in OBJECTS).flatMap((one) =>
  surfacesOf(one.operation).map((surface) => ({ ...one, surface })),
);

describe.for(reads)('$name', ({ operation }) => {
  it('writes no audit entry on any surface', async () => {
    const { tenant, fields } = await arrange(operation);
    const before = await auditOf(tenant);

    for (const surface of surfacesOf(operation)) {
      const { code } = await surfaces[surface](operation, fields, tenant.secrets.live ?? '');
      expect(code).toBe('ok');
    }

    expect(await auditOf(tenant)).toEqual(before);
  });
});

describe.for(changes)('$name over $surface', ({ name, surface, operation }) => {
  it('writes one audit entry with actor, operation, object and outcome', async () => {
    const { tenant, fields, account } = await arrange(operation);
    const before = await auditOf(tenant);

    const { answer, code, requestId } = await surfaces[surface](operation, fields, tenant.secrets.live ?? '');

    const found = (await auditOf(tenant)).slice(0, -before.length || undefined);
    expect(found).toEqual([
      {
        id: UUID,
        at: expect.any(String),
        actor: { kind: 'key', id: account.key, name: 'A key' },
        surface,
        operation: name,
        object: OBJECTS[name]?.(fields, answer, account.id),
        outcome: code,
        mode: 'live',
        profileId: fields['profileId'] ?? null,
        requestId,
      },
    ]);
    expect(JSON.stringify(found)).not.toMatch(/Dong|crl_|whsec_|cal_/);
  });
});
