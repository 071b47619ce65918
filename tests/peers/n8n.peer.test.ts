/** The nodes for n8n, built and required as n8n does it, with n8n’s own library, against a running install. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createInstall } from '../crash/install.ts';
import { callsTo, LIVE_KEY, REPOSITORY, type ServerProcess } from '../crash/server-process.ts';
import { plain } from '../harness/images.ts';
import { startReceiver } from '../harness/receiver.ts';
import { ensureN8n, N8N_CACHE } from './ensure-peers.ts';

// eslint-disable-next-line typescript/no-explicit-any -- n8n's own types are in the folder that the test installs
type Any = any;

const PACKAGE = join(REPOSITORY, 'integrations/n8n');
const ID = expect.stringMatching(/^[0-9a-f-]{36}$/) as string;

let library: Any;
let nodes: Readonly<Record<'Carillon' | 'CarillonTrigger' | 'CarillonApi', new () => Any>>;
let server: ServerProcess;
let calls: ReturnType<typeof callsTo>;
let stop = async () => undefined as void;
afterAll(() => stop());
beforeAll(async () => {
  await ensureN8n();
  await promisify(execFile)(process.execPath, ['scripts/build-n8n.ts'], { cwd: REPOSITORY });
  const installed = join(N8N_CACHE, 'node_modules/n8n-nodes-carillon');
  for (const part of ['dist', 'package.json'])
    await cp(join(PACKAGE, part), join(installed, part), { recursive: true });
  const require = createRequire(join(N8N_CACHE, 'package.json'));
  library = require('n8n-workflow');
  const { n8n } = require('n8n-nodes-carillon/package.json') as { n8n: { nodes: string[]; credentials: string[] } };
  const classes = [...n8n.nodes, ...n8n.credentials].map((file) => require(`n8n-nodes-carillon/${file}`) as object);
  nodes = Object.assign({}, ...classes) as typeof nodes;
  const dataDir = await mkdtemp(join(tmpdir(), 'carillon-n8n-'));
  const install = await createInstall({ dataDir, settings: { OUTBOUND_ALLOW: '127.0.0.0/8' }, template: undefined });
  server = await install.start();
  stop = async () => {
    await install[Symbol.asyncDispose]();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  };
  calls = callsTo(server.url);
});

/** Requests as n8n sends them: with the header of the credential, and its own error. */
async function request(node: Any, options: Any): Promise<unknown> {
  const url = new URL(options.url);
  for (const [name, value] of Object.entries(options.qs ?? {})) url.searchParams.set(name, String(value));
  const isBytes = options.body instanceof Uint8Array;
  const response = await fetch(url, {
    method: options.method,
    headers: {
      'x-api-key': LIVE_KEY,
      ...(options.body !== undefined && !isBytes && { 'content-type': 'application/json' }),
      ...options.headers,
    },
    ...(options.body !== undefined && { body: isBytes ? options.body : JSON.stringify(options.body) }),
  });
  const text = await response.text();
  if (response.ok) return options.json ? JSON.parse(text) : text;
  const error = Object.assign(new Error(`Request failed with status code ${response.status}`), {
    response: { status: response.status, data: JSON.parse(text) },
  });
  throw new library.NodeApiError(node, error);
}

/** The context that n8n gives to a node: the parameters with the defaults of its description, and its data. */
function contextOf(type: Any, parameters: object, more: object = {}): Any {
  const node = { id: 'node-1', name: 'Carillon', type: 'carillon', typeVersion: 1, position: [0, 0], parameters };
  const { description } = type;
  const full = library.NodeHelpers.getNodeParameters(
    description.properties,
    parameters,
    true,
    false,
    node,
    description,
  );
  expect(
    library.NodeHelpers.getNodeParametersIssues(description.properties, { ...node, parameters: full }, description),
  ).toBeNull();
  const valueAt = (name: string) => name.split('.').reduce((value, part) => value?.[part], full);
  return {
    getCredentials: async () => ({ url: `${server.url}/`, key: LIVE_KEY }),
    getNode: () => node,
    getInputData: () => [{ json: {} }],
    getNodeParameter: (name: string, ...rest: unknown[]) => valueAt(name) ?? rest.at(-1),
    getTimezone: () => 'Europe/Lisbon',
    getExecutionId: () => 'execution-1',
    continueOnFail: () => false,
    helpers: { httpRequestWithAuthentication: (_credential: string, options: object) => request(node, options) },
    ...more,
  };
}

async function execute(parameters: object, more: object = {}): Promise<Any[]> {
  const node = new nodes.Carillon();
  const [items] = await node.execute.call(contextOf(node, parameters, more));
  return items.map(({ json }: { json: unknown }) => json);
}

const count = async () => ((await calls.rest('GET /posts?limit=100')).body.posts as unknown[]).length;

describe('the node', () => {
  it('lists the connections to choose from', async () => {
    const node = new nodes.Carillon();

    expect(await node.methods.loadOptions.getConnections.call(contextOf(node, { resource: 'connection' }))).toEqual([
      { name: 'Sandbox (sandbox)', value: 'sandbox' },
    ]);
  });

  it('publishes a post, once for each execution, with one output item for each connection', async () => {
    const parameters = { connections: ['sandbox'], text: 'From a workflow', options: { tags: 'flow, news' } };
    const before = await count();

    const [first] = await execute(parameters);
    const [again] = await execute(parameters);
    const [next] = await execute(parameters, { getExecutionId: () => 'execution-2' });

    expect(first).toMatchObject({ connectionSlug: 'sandbox', status: 'sent', postId: ID, error: null });
    expect(again).toEqual(first);
    expect(next.postId).not.toBe(first.postId);
    expect(await count()).toBe(before + 2);
    expect((await execute({ operation: 'get', postId: first.postId }))[0]).toMatchObject({ tags: ['flow', 'news'] });
  });

  it('schedules a thread in the zone of the workflow, and deletes it', async () => {
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    const thread = { replies: [{ text: 'Two' }, { text: 'Three' }] };
    const scheduledFor = `${tomorrow} 09:00:00`;

    const [{ postId }] = await execute({
      connections: ['sandbox'],
      text: 'One',
      when: 'at',
      scheduledFor,
      options: { thread },
    });
    const [post] = await execute({ operation: 'get', postId });
    const [deleted] = await execute({ operation: 'delete', postId });

    const inLisbon = new Intl.DateTimeFormat('sv-SE', {
      timeZone: 'Europe/Lisbon',
      dateStyle: 'short',
      timeStyle: 'medium',
    });
    expect([post.status, inLisbon.format(new Date(post.scheduledFor)), post.thread]).toEqual([
      'scheduled',
      scheduledFor,
      ['Two', 'Three'],
    ]);
    expect(deleted).toMatchObject({ status: 'cancelled' });
  });

  it('keeps a draft, lists drafts in pages, and publishes one', async () => {
    const [{ postId }] = await execute({ connections: ['sandbox'], text: 'A draft', when: 'draft' });

    const drafts = await execute({ operation: 'getAll', status: 'draft', returnAll: true });
    const limited = await execute({ operation: 'getAll', limit: 1 });
    await execute({ operation: 'publish', postId });

    expect(drafts.map(({ id }) => id)).toEqual([postId]);
    expect(limited).toHaveLength(1);
    expect((await execute({ operation: 'get', postId }))[0]).toMatchObject({ status: 'sent' });
  });

  it('uploads an image for a post', async () => {
    const bytes = await plain(8, 8).png().toBuffer();
    const helpers = {
      ...contextOf(new nodes.Carillon(), { resource: 'connection' }).helpers,
      assertBinaryData: () => ({ mimeType: 'image/png' }),
      getBinaryDataBuffer: async () => bytes,
    };

    const [image] = await execute({ resource: 'image', operation: 'upload', altText: 'A bell' }, { helpers });
    const parameters = { connections: ['sandbox'], text: 'With image', options: { imageIds: image.id } };
    const [{ postId }] = await execute(parameters);

    expect((await execute({ operation: 'get', postId }))[0].media).toMatchObject([{ id: image.id, altText: 'A bell' }]);
  });

  it('fails when a connection does not take the post, unless it was told to go on', async () => {
    const parameters = { connections: ['sandbox'], text: 'Refused [[reject]]' };

    await expect(execute(parameters)).rejects.toThrow(/^sandbox: .* \(platform_rejected\)$/);
    expect((await execute({ ...parameters, options: { mayFail: true } }))[0].error.code).toBe('platform_rejected');
    const [item] = await execute({ connections: ['unknown'], text: 'x' }, { continueOnFail: () => true });
    expect(item.error).toMatch(/unknown/);
  });

  it('shows the message of the install, and what to do', async () => {
    const failure = await execute({ connections: ['unknown'], text: 'x' }).catch((error: unknown) => error);

    expect(failure).toMatchObject({
      name: 'NodeApiError',
      message: expect.stringContaining('No connection of yours has the slug "unknown"'),
      description: expect.stringContaining('GET /connections'),
    });
  });
});

describe('the trigger', () => {
  it('registers a webhook, passes each signed event on once, refuses others, and deletes the webhook', async () => {
    const node = new nodes.CarillonTrigger();
    const receiver = await startReceiver(200);
    const stored = {};
    const shared = { getNodeWebhookUrl: () => receiver.url, getWorkflowStaticData: () => stored };
    const context = contextOf(node, { events: ['post.sent'] }, shared);
    const { checkExists, create, delete: remove } = node.webhookMethods.default;
    expect(await checkExists.call(context)).toBe(false);
    await create.call(context);
    expect(await checkExists.call(context)).toBe(true);

    await calls.rest('POST /posts', { body: { text: 'Announced', connectionSlugs: ['sandbox'] } });
    await expect.poll(() => receiver.received.length).toBe(1);
    const [{ headers, raw: rawBody }] = receiver.received as unknown as [{ headers: object; raw: string }];
    const answers: unknown[] = [];
    const response = { status: (code: number) => ({ send: (text: string) => void answers.push(code, text) }) };
    const receive = (body: string) =>
      node.webhook.call({
        ...context,
        getRequestObject: () => ({ headers, rawBody: Buffer.from(body) }),
        getResponseObject: () => response,
      });
    const first = await receive(rawBody);
    const again = await receive(rawBody);
    const forged = await receive(rawBody.replace('Announced', 'Forged'));

    expect(first.workflowData[0][0].json).toMatchObject({ event: 'post.sent', post: { text: 'Announced' } });
    expect(again).toEqual({});
    expect([forged, answers]).toEqual([{ noWebhookResponse: true }, [400, expect.stringContaining('signature')]]);
    expect(await remove.call(context)).toBe(true);
    expect(await checkExists.call(context)).toBe(false);
    expect((await calls.rest('GET /webhooks')).body.webhooks).toEqual([]);
  });

  it('can be switched off when its webhook is gone already', async () => {
    const node = new nodes.CarillonTrigger();
    const stored = { webhookId: '00000000-0000-7000-8000-000000000000', secret: 'whsec_gone' };
    const context = contextOf(node, { events: ['post.sent'] }, { getWorkflowStaticData: () => stored });

    expect(await node.webhookMethods.default.delete.call(context)).toBe(true);
    expect(stored).toEqual({});
  });
});

it('the credential sends the key in a header, and hides it', () => {
  const credential = new nodes.CarillonApi();

  expect(credential.authenticate.properties.headers).toEqual({ 'x-api-key': '={{$credentials.key}}' });
  expect(credential.properties.find(({ name }: { name: string }) => name === 'key').typeOptions.password).toBe(true);
});
