/** Traces by OTLP: which spans there are, what they hold, and what they never hold (docs/guide/observability.md). */
import { expect, it, onTestFinished } from 'vitest';
import { startCollector } from '../../harness/collector.ts';
import { startReceiver, registerWebhook } from '../../harness/receiver.ts';
import { startWorld } from '../../harness/world.ts';
import { connect } from '../../mcp/clients.ts';
import { startFakeBluesky } from '../../platforms/fakes/fake-bluesky.ts';
import { startFakeNostr } from '../../platforms/fakes/fake-nostr.ts';

const PASSWORD = 'abcd-efgh-ijkl-mnop';
const TEXT = 'A text that no collector may see';
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

const collector = await startCollector();
const receiver = await startReceiver(200, () => undefined);
const bluesky = await startFakeBluesky({ now: () => new Date() });
bluesky.addAccount('alice.test', PASSWORD);
const world = await startWorld({
  onLog: () => undefined,
  env: {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_METRICS_EXPORTER: 'none',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test%20one,service.name=other',
    BLUESKY_SERVICE_URL: bluesky.url,
  },
});
const login = { identifier: 'alice.test', appPassword: PASSWORD };
await world.rest('POST /connections', { body: { platformId: 'bluesky', credentials: login, slug: 'alice' } });
const webhook = await registerWebhook(world, `${receiver.url}?token=receiver-token-1234`, { events: ['post.sent'] });

/** The spans of one trace, once all are exported. */
async function spansOf(traceId: string) {
  await world.flushTelemetry();
  return collector.spans().filter((span) => span.traceId === traceId);
}

it('follow an immediate post from its request to the platform, as part of the trace of the caller', async () => {
  const posted = await world.rest('POST /posts', {
    headers: { traceparent: `00-${TRACE}-${PARENT}-01` },
    body: { text: TEXT, connectionSlugs: ['alice'] },
  });

  const spans = await spansOf(TRACE);
  const [{ postId }] = posted.body.results;
  const request = spans.find(({ name }) => name === 'POST /api/v2/posts');
  const operation = spans.find(({ name }) => name === 'posts.create');
  const send = spans.find(({ name }) => name === 'send post');
  const calls = spans.filter(({ kind }) => kind === 3);
  expect(request).toMatchObject({ kind: 2, parentSpanId: PARENT, status: 0 });
  expect(request?.attributes).toEqual({
    'http.request.method': 'POST',
    'http.route': '/api/v2/posts',
    'http.response.status_code': 200,
    'carillon.request.id': posted.headers.get('x-request-id'),
  });
  expect(operation).toMatchObject({ kind: 1, parentSpanId: request?.spanId });
  expect(operation?.attributes).toEqual({
    'rpc.method': 'posts.create',
    'carillon.surface': 'rest',
    'carillon.account.id': expect.any(String),
    'carillon.post.ids': [postId],
  });
  expect(send).toMatchObject({ kind: 1, parentSpanId: operation?.spanId, status: 0 });
  expect(send?.attributes).toEqual({
    'carillon.post.id': postId,
    'carillon.platform': 'bluesky',
    'carillon.account.id': operation?.attributes['carillon.account.id'],
    'carillon.send.kind': 'immediate',
    'carillon.attempt.id': expect.any(String),
    'carillon.outcome': 'sent',
  });
  expect(calls.length).toBeGreaterThan(0);
  for (const call of calls) {
    expect(call).toMatchObject({ name: 'POST', parentSpanId: send?.spanId });
    expect(call.attributes).toEqual({
      'http.request.method': 'POST',
      'server.address': '127.0.0.1',
      'http.response.status_code': 200,
    });
  }
  expect(request?.resource).toEqual({
    'service.name': 'carillon',
    'service.version': '2.0.0',
    'service.instance.id': 'world',
    'carillon.role': 'all',
    'deployment.environment.name': 'test one',
  });
});

it('name the error of a failed send, and lead from a scheduled one to its request by the id of the post', async () => {
  const scheduledFor = new Date(world.clock.now().getTime() + 60_000).toISOString();
  const body = { text: `[[reject]] ${TEXT}`, connectionSlugs: [world.sandboxSlug], scheduledFor };
  const scheduled = await world.rest('POST /posts', { body });
  await world.advance(60_000);

  await world.flushTelemetry();
  const [{ postId }] = scheduled.body.results;
  const send = collector.spans().find(({ attributes }) => attributes['carillon.post.id'] === postId);
  const stored = collector
    .spans()
    .find(({ attributes }) => (attributes['carillon.post.ids'] as string[] | undefined)?.includes(postId));
  expect(send).toMatchObject({ name: 'send post', parentSpanId: undefined, status: 2 });
  expect(send?.attributes).toMatchObject({
    'carillon.send.kind': 'scheduled',
    'carillon.outcome': 'platform_rejected',
    'error.type': 'platform_rejected',
  });
  expect(stored).toMatchObject({ name: 'posts.create' });
  expect(stored?.traceId).not.toBe(send?.traceId);
});

it('continue in the receiver of a webhook, whose request carries the traceparent of the attempt', async () => {
  receiver.answer(503);
  await world.rest('POST /posts', { body: { text: TEXT, connectionSlugs: [world.sandboxSlug] } });
  await world.runDue();

  await world.flushTelemetry();
  const received = receiver.received.at(-1);
  const delivery = collector
    .spans()
    .find(({ attributes }) => attributes['carillon.delivery.id'] === received?.headers['x-service-delivery']);
  expect(received?.headers['traceparent']).toBe(`00-${delivery?.traceId}-${delivery?.spanId}-01`);
  expect(delivery).toMatchObject({ name: 'deliver event', kind: 3, parentSpanId: undefined, status: 2 });
  expect(delivery?.attributes).toEqual({
    'http.request.method': 'POST',
    'http.response.status_code': 503,
    'error.type': '503',
    'carillon.webhook.id': webhook.id,
    'carillon.delivery.id': received?.headers['x-service-delivery'],
    'carillon.event': 'post.sent',
    'carillon.attempt': 1,
  });
});

it('follow the WebSocket connections of a platform, from their opening to their end', async () => {
  const relay = await startFakeNostr({ now: () => world.clock.now() });
  onTestFinished(() => relay.close());
  const credentials = {
    secretKey: '67dea2ed018072d675f5415ecfaed7d2597555e202d85b3d65ea4e58d2d92ffa',
    relays: relay.relay,
  };
  await world.rest('POST /connections', { body: { platformId: 'nostr', credentials, slug: 'nostr' } });
  await world.flushTelemetry();
  const before = collector.spans().length;

  const { body } = await world.rest('POST /posts', { body: { text: TEXT, connectionSlugs: ['nostr'] } });

  expect(body.results[0].status).toBe('sent');
  await world.flushTelemetry();
  const spans = collector.spans().slice(before);
  const send = spans.find(({ name }) => name === 'send post');
  expect(spans.filter(({ name }) => name === 'WEBSOCKET')).toEqual([
    expect.objectContaining({
      kind: 3,
      parentSpanId: send?.spanId,
      status: 0,
      attributes: { 'network.protocol.name': 'websocket', 'server.address': '127.0.0.1' },
    }),
  ]);
});

it('name the tool that an agent called', async () => {
  const client = await connect(world, 'legacy', world.liveKey, '/mcp/all');
  const answer = await client.callTool({ name: 'list_connections', arguments: {} });

  await world.flushTelemetry();
  const operation = collector.spans().find(({ attributes }) => attributes['carillon.surface'] === 'mcp');
  const request = collector.spans().find(({ spanId }) => spanId === operation?.parentSpanId);
  expect(answer.isError).toBeUndefined();
  expect(operation).toMatchObject({ name: 'connections.list', status: 0 });
  expect(operation?.attributes).toMatchObject({ 'gen_ai.tool.name': 'list_connections' });
  expect(request).toMatchObject({ name: 'POST /mcp', kind: 2 });
});

it.each([
  ['cut short', `00-${TRACE.slice(1)}-${PARENT}-01`],
  ['without a trace', `00-${'0'.repeat(32)}-${PARENT}-01`],
  ['longer than any', `01-${TRACE}-${PARENT}-01-${'x'.repeat(200)}`],
  ['of an unknown form', 'true'],
])('begin anew when the traceparent is %s', async (_, traceparent) => {
  const answer = await world.rest('GET /posts?limit=1', { headers: { traceparent } });

  await world.flushTelemetry();
  const id = answer.headers.get('x-request-id');
  const request = collector.spans().find(({ attributes }) => attributes['carillon.request.id'] === id);
  expect(answer.status).toBe(200);
  expect(request).toMatchObject({ name: 'GET /api/v2/posts', parentSpanId: undefined });
  expect(request?.traceId).not.toBe(TRACE);
});

it('are joined by the lines of the log, on standard output and by OTLP', async () => {
  const answer = await world.rest('GET /posts/00000000-0000-7000-8000-000000000000');

  await world.flushTelemetry();
  const id = answer.headers.get('x-request-id');
  const request = collector.spans().find(({ attributes }) => attributes['carillon.request.id'] === id);
  const line = world.logged.map((one) => JSON.parse(one)).find(({ reqId }) => reqId === id);
  const record = collector.logs().find(({ attributes }) => attributes['reqId'] === id);
  expect(request).toMatchObject({ name: 'GET /api/v2/posts/{postId}', status: 0 });
  expect(line).toMatchObject({ msg: 'request', trace_id: request?.traceId, span_id: request?.spanId });
  expect(record).toEqual({
    body: 'request',
    severityText: 'INFO',
    traceId: request?.traceId,
    spanId: request?.spanId,
    attributes: {
      reqId: id,
      method: 'GET',
      path: '/api/v2/posts/00000000-0000-7000-8000-000000000000',
      status: 404,
      ms: expect.any(Number),
    },
  });
});

it('hold no key, credential, text, query, path of a secret or address of a receiver, nor do the logs', async () => {
  await world.rest('GET /posts?limit=1&token=query-secret');
  await world.rest('GET /posts', { key: `crl_live_${'X'.repeat(40)}` });
  await world.rest('POST /posts', { body: { text: TEXT, connectionSlugs: ['no-such-slug'], tags: ['tag-of-a-post'] } });
  await fetch(`${world.url}/connect/secret-of-a-link`);
  await world.rest('POST /connections', {
    body: { platformId: 'bluesky', credentials: { ...login, appPassword: 'wrong-password' } },
  });

  await world.flushTelemetry();
  const exported = Buffer.concat(collector.received.map(({ bytes }) => bytes)).toString();
  const secrets = [
    world.liveKey,
    'XXXXXXXX',
    PASSWORD,
    'wrong-password',
    'alice.test',
    TEXT,
    'tag-of-a-post',
    'query-secret',
    'secret-of-a-link',
    'receiver-token-1234',
    '/hook',
    webhook.secret,
    // The path of a call to Bluesky.
    'xrpc',
  ];
  expect(exported.length).toBeGreaterThan(10_000);
  expect(secrets.filter((secret) => exported.includes(secret))).toEqual([]);
});
