/**
 * `retryable` describes this occurrence, not the code, and is the same on REST, tRPC and MCP
 * (docs/contract/errors-and-limits.md#retryable-errors).
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTRPCClient, httpBatchLink, TRPCClientError } from '@trpc/client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Client } from '@modelcontextprotocol/client';
import { ERROR_META_KEY } from '../../mcp/tool-results.ts';
import type { AppRouter } from '../../routers/index.ts';
import { claimDueSends } from '../../services/sending/claim-due-sends.ts';
import { makePost } from '../harness/posts.ts';
import { startWorld, type World } from '../harness/world.ts';
import { connect } from '../mcp/clients.ts';

type RetryableAnswer = [code: string, retryable: boolean];

let world: World;
let mcp: Client;
let origin: string;

const server = createServer((request, response) => {
  const status = Number((request.url ?? '').slice(1));
  if (status > 0) response.writeHead(status).end();
});

beforeAll(async () => {
  world = await startWorld();
  mcp = await connect(world, 'modern', world.liveKey, '/mcp/all');
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const trpc = () =>
  createTRPCClient<AppRouter>({
    links: [httpBatchLink({ url: `${world.url}/trpc`, headers: { 'x-api-key': world.liveKey } })],
  });

async function overRest(
  call: `${string} /${string}`,
  options: Parameters<World['rest']>[1] = {},
): Promise<RetryableAnswer> {
  const { body } = await world.rest(call, options);
  return [body.error, body.retryable];
}

async function overTrpc(call: Promise<unknown>): Promise<RetryableAnswer> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof TRPCClientError)) throw new Error(`expected a TRPCClientError, not ${String(error)}`);
  const body = (error as TRPCClientError<AppRouter>).data?.error;
  return [body?.error ?? '', body?.retryable ?? false];
}

async function overMcp(name: string, args: Record<string, unknown>): Promise<RetryableAnswer> {
  const answer = await mcp.callTool({ name, arguments: args });
  const meta = answer._meta?.[ERROR_META_KEY] as { code: string; retryable: boolean };
  return [meta.code, meta.retryable];
}

describe('an image that cannot be fetched', () => {
  const everywhere = async (url: string): Promise<RetryableAnswer[]> => [
    await overRest('POST /media/from-url', { body: { url } }),
    await overTrpc(trpc().media.uploadFromUrl.mutate({ url })),
    await overMcp('upload_media_from_url', { url }),
  ];

  it.each([
    [404, false],
    [403, false],
    [429, true],
    [500, true],
    [503, true],
  ])('is retryable when its server answers %i: %s', async (status, retryable) => {
    const answers = await everywhere(`${origin}/${status}`);

    expect(answers).toEqual(Array.from({ length: 3 }, () => ['media_unreachable', retryable]));
  });

  it('is retryable after a timeout', async () => {
    const { clock } = world.context;
    Object.assign(world.context, { clock: { ...clock, deadline: () => AbortSignal.timeout(20) } });
    onTestFinished(() => {
      Object.assign(world.context, { clock });
    });

    expect(await everywhere(`${origin}/never`)).toEqual(Array.from({ length: 3 }, () => ['media_unreachable', true]));
  });

  it('is not retryable when its address is private', async () => {
    expect(await everywhere('http://10.0.0.1/bell.png')).toEqual(
      Array.from({ length: 3 }, () => ['media_unreachable', false]),
    );
  });
});

describe('a post that is being sent', () => {
  it('cannot be cancelled, and repeating the request does not help', async () => {
    const scheduledFor = new Date(world.clock.now().getTime() + 60_000).toISOString();
    const { postId } = await makePost(world, world.sandboxSlug, { scheduledFor });
    world.clock.advance(60_000);
    const { sends } = await claimDueSends(world.context);

    const answers = [
      await overRest(`DELETE /posts/${postId}`),
      await overTrpc(trpc().posts.delete.mutate({ postId })),
      await overMcp('delete_post', { postId }),
    ];
    await Promise.all(sends.map((send) => world.context.sends.send(send)));

    expect(answers).toEqual(Array.from({ length: 3 }, () => ['post_not_cancellable', false]));
  });
});

describe('an Idempotency-Key', () => {
  const everywhere = async (key: string, text: string): Promise<RetryableAnswer[]> => {
    const body = { text, connectionSlugs: [world.sandboxSlug] };
    return [
      await overRest('POST /posts', { body, headers: { 'idempotency-key': key } }),
      await overTrpc(trpc().posts.create.mutate({ ...body, idempotencyKey: key })),
      await overMcp('create_post', { ...body, idempotencyKey: key }),
    ];
  };

  it('of another request is a permanent conflict', async () => {
    const body = { text: 'One', connectionSlugs: [world.sandboxSlug] };
    await world.rest('POST /posts', { body, headers: { 'idempotency-key': 'taken' } });

    expect(await everywhere('taken', 'Other')).toEqual(
      Array.from({ length: 3 }, () => ['idempotency_key_conflict', false]),
    );
  });

  it('can be sent again while its first request is still running', async () => {
    const body = { text: 'Runs', connectionSlugs: [world.sandboxSlug] };
    const headers = { 'idempotency-key': 'running' };
    const { postId } = (await world.rest('POST /posts', { body, headers })).body.results[0];
    await world.sql(
      `update idempotency_records set completed_at = null,
         response = jsonb_build_object('results', jsonb_build_array(jsonb_build_object('pending', $1::text))) where key = 'running'`,
      [postId],
    );
    await world.sql(`update posts set status = 'processing' where id = $1`, [postId]);

    const answers = await everywhere('running', 'Runs');
    await world.sql(`update posts set status = 'sent' where id = $1`, [postId]);

    expect(answers).toEqual(Array.from({ length: 3 }, () => ['idempotency_key_conflict', true]));
  });
});

describe('a name conflict', () => {
  it('is not retryable', async () => {
    const body = { platformId: 'sandbox', slug: world.sandboxSlug, credentials: {} };

    expect(await overRest('POST /connections', { body })).toEqual(['connection_conflict', false]);
  });
});
