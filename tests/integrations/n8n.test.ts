/**
 * The package for n8n, as it is published: what n8n requires of it, what its nodes do, and the example of its README. The nodes run
 * with a small imitation of n8n; tests/peers/n8n.peer.test.ts runs them with its own library.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import { TRIGGER_EVENTS } from '../../integrations/n8n/trigger-events.ts';
import { properties } from '../../integrations/n8n/node-properties.ts';
import { DEFAULT_EVENT_NAMES } from '../../entities/event.ts';
import { startReceiver } from '../harness/receiver.ts';
import { IMAGE } from '../harness/tenant.ts';
import { startWorld } from '../harness/world.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const FOLDER = path.join(ROOT, 'integrations/n8n');
const read = (file: string) => readFileSync(path.join(FOLDER, file), 'utf8');
const installed = mkdtempSync(path.join(tmpdir(), 'carillon-n8n-'));
const world = await startWorld();

beforeAll(() => {
  execFileSync(process.execPath, [path.join(ROOT, 'scripts/build-n8n.ts')], { stdio: 'ignore' });
});
afterAll(() => rmSync(installed, { recursive: true, force: true }));

describe('the package', () => {
  let files: readonly string[];
  beforeAll(() => {
    const packed = execFileSync('npm', ['pack', '--ignore-scripts', '--dry-run', '--json'], {
      cwd: FOLDER,
      encoding: 'utf8',
    });
    files = (JSON.parse(packed) as [{ files: { path: string }[] }])[0].files.map((file) => file.path);
  });

  it('holds the built nodes, the credential, their icons, the license and the README, and nothing else', () => {
    expect(files.toSorted((one, other) => one.localeCompare(other, 'en'))).toEqual([
      'dist/credentials/carillon.svg',
      'dist/credentials/CarillonApi.credentials.js',
      'dist/nodes/Carillon/Carillon.node.js',
      'dist/nodes/Carillon/Carillon.node.json',
      'dist/nodes/Carillon/carillon.svg',
      'dist/nodes/Carillon/CarillonTrigger.node.js',
      'dist/nodes/Carillon/CarillonTrigger.node.json',
      'dist/package.json',
      'LICENSE',
      'package.json',
      'README.md',
    ]);
  });

  it('names its nodes to n8n, and needs no other package at run time', () => {
    const manifest = JSON.parse(read('package.json')) as Record<string, unknown>;
    const { nodes, credentials } = manifest['n8n'] as Record<'nodes' | 'credentials', string[]>;

    expect(manifest).toMatchObject({
      version: packageJson.version,
      keywords: ['n8n-community-node-package'],
      peerDependencies: { 'n8n-workflow': '*' },
    });
    expect(manifest).not.toHaveProperty('dependencies');
    expect(files).toEqual(expect.arrayContaining([...nodes, ...credentials]));
    const codexes = nodes.map((file) => (JSON.parse(read(`${file}on`)) as { node: string }).node);
    expect(codexes).toEqual(['n8n-nodes-carillon.carillon', 'n8n-nodes-carillon.carillonTrigger']);
    for (const file of nodes) {
      const required = [...read(file).matchAll(/require\("([^"]+)"\)/g)].map(([, name]) => name);
      expect(required.filter((name) => name !== 'n8n-workflow' && name?.startsWith('node:') !== true)).toEqual([]);
    }
  });
});

const Workflow = z.strictObject({
  nodes: z.array(
    z.strictObject({
      parameters: z.record(z.string(), z.unknown()),
      type: z.enum(['n8n-nodes-carillon.carillon', 'n8n-nodes-carillon.carillonTrigger']),
      typeVersion: z.literal(1),
      position: z.tuple([z.number(), z.number()]),
      id: z.guid(),
      name: z.string(),
      webhookId: z.guid().optional(),
    }),
  ),
  connections: z.record(
    z.string(),
    z.strictObject({
      main: z.array(z.array(z.strictObject({ node: z.string(), type: z.literal('main'), index: z.int() }))),
    }),
  ),
});

it('the workflow of the README has nodes and parameters that exist', () => {
  const [, block = ''] = /```json\n([^]*?)```/.exec(read('README.md')) ?? [];

  const { nodes, connections } = Workflow.parse(JSON.parse(block));

  const names = nodes.map(({ name }) => name);
  for (const [from, { main }] of Object.entries(connections)) {
    expect(names).toEqual(expect.arrayContaining([from, ...main.flat().map(({ node }) => node)]));
  }
  const known = new Set(['events', ...properties.map(({ name }) => name)]);
  expect(nodes.flatMap(({ parameters }) => Object.keys(parameters)).filter((name) => !known.has(name))).toEqual([]);
});

it('the trigger offers each event that webhooks receive unasked', () => {
  expect(TRIGGER_EVENTS.map(([name]) => name)).toEqual(DEFAULT_EVENT_NAMES.toSorted());
});

// eslint-disable-next-line typescript/no-explicit-any -- n8n's own types are not installed
type Any = any;

/** The classes of the built package, required as n8n requires them. */
function requireNodes(): Record<'Carillon' | 'CarillonTrigger' | 'CarillonApi', new () => Any> {
  const library = path.join(installed, 'node_modules/n8n-workflow');
  mkdirSync(library, { recursive: true });
  const error = 'class extends Error { constructor(node, error) { super(error.message ?? error); } }';
  writeFileSync(path.join(library, 'index.js'), `exports.NodeApiError = exports.NodeOperationError = ${error};\n`);
  cpSync(path.join(FOLDER, 'dist'), path.join(installed, 'dist'), { recursive: true });
  const require = createRequire(path.join(installed, 'index.js'));
  const { n8n } = JSON.parse(read('package.json')) as { n8n: Record<'nodes' | 'credentials', string[]> };
  const classes = [...n8n.nodes, ...n8n.credentials].map((file) => require(`./${file}`) as object);
  return Object.assign({}, ...classes) as ReturnType<typeof requireNodes>;
}

/** Sends a request as n8n does, with the header that the credential declares. */
async function send(_credential: string, { method, url, qs = {}, headers = {}, body, json }: Any): Promise<unknown> {
  const address = new URL(url);
  for (const [name, value] of Object.entries(qs)) address.searchParams.set(name, String(value));
  const isBytes = body instanceof Uint8Array;
  const type: Record<string, string> = body === undefined || isBytes ? {} : { 'content-type': 'application/json' };
  const response = await fetch(address, {
    method,
    headers: { 'x-api-key': world.liveKey, ...type, ...headers },
    ...(body !== undefined && { body: isBytes ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  if (response.ok) return json ? JSON.parse(text) : text;
  throw Object.assign(new Error(`status ${response.status}`), { response: { data: JSON.parse(text) } });
}

/** What n8n gives to a node: its parameters, one input item and the requests. */
function contextOf(parameters: Record<string, unknown>, more: object = {}): Any {
  const valueAt = (name: string) => name.split('.').reduce<Any>((value, part) => value?.[part], parameters);
  return {
    getCredentials: async () => ({ url: world.url, key: world.liveKey }),
    getNode: () => ({ id: 'node-1', name: 'Carillon' }),
    getInputData: () => [{ json: {} }],
    getNodeParameter: (name: string, ...rest: unknown[]) => valueAt(name) ?? rest.at(-1),
    getTimezone: () => 'Europe/Lisbon',
    getExecutionId: () => 'execution-1',
    continueOnFail: () => false,
    helpers: {
      httpRequestWithAuthentication: send,
      assertBinaryData: () => ({ mimeType: 'image/png' }),
      getBinaryDataBuffer: async () => IMAGE,
    },
    ...more,
  };
}

describe('the node', () => {
  const execute = async (parameters: Record<string, unknown>, more: object = {}): Promise<Any[]> => {
    const node = new (requireNodes().Carillon)();
    const [items] = await node.execute.call(contextOf({ resource: 'post', ...parameters }, more));
    return items.map(({ json }: Any) => json);
  };

  it('posts once for each execution, and reads, lists and deletes posts', async () => {
    const creating = { operation: 'create', connections: ['sandbox'], text: 'From a workflow' };

    const [first] = await execute(creating);
    const [again] = await execute(creating);
    const [next] = await execute(creating, { getExecutionId: () => 'execution-2' });

    expect(first).toMatchObject({ connectionSlug: 'sandbox', status: 'sent', error: null });
    expect([again, next.postId === first.postId]).toEqual([first, false]);
    expect((await execute({ operation: 'get', postId: first.postId }))[0].text).toBe('From a workflow');
    expect(await execute({ operation: 'getAll', returnAll: true })).toHaveLength(2);
    expect((await execute({ operation: 'delete', postId: first.postId }))[0].id).toBe(first.postId);
  });

  it('cancels a post without taking it down when it is out', async () => {
    const [{ postId }] = await execute({ operation: 'create', connections: ['sandbox'], text: 'Out already' });

    const cancelled = execute({ operation: 'delete', postId, ifStatus: 'scheduled' });

    await expect(cancelled).rejects.toThrow('The post is sent, not scheduled, so it stays as it is.');
    expect((await execute({ operation: 'get', postId }))[0].status).toBe('sent');
  });

  it('keeps drafts, schedules in the zone of the workflow, and checks without posting', async () => {
    const creating = { operation: 'create', connections: ['sandbox'], text: 'Later' };
    const scheduledFor = `${new Date(world.clock.now().getTime() + 86_400_000).toISOString().slice(0, 10)} 09:00:00`;

    const [draft] = await execute({ ...creating, when: 'draft' });
    const [timed] = await execute({ ...creating, when: 'at', scheduledFor });
    const [checked] = await execute({ ...creating, operation: 'validate' });

    expect([draft.status, timed.status, checked.connectionSlug]).toEqual(['draft', 'scheduled', 'sandbox']);
    const inLisbon = new Intl.DateTimeFormat('sv-SE', {
      timeZone: 'Europe/Lisbon',
      dateStyle: 'short',
      timeStyle: 'medium',
    });
    expect(inLisbon.format(new Date(timed.scheduledFor))).toBe(scheduledFor);
  });

  it('uploads an image, and offers the connections to choose from', async () => {
    const [image] = await execute({
      resource: 'image',
      operation: 'upload',
      binaryProperty: 'data',
      altText: 'A bell',
    });
    const { methods } = new (requireNodes().Carillon)();

    expect(image).toMatchObject({ contentType: 'image/png', altText: 'A bell' });
    expect(await methods.loadOptions.getConnections.call(contextOf({}))).toEqual([
      expect.objectContaining({ value: 'sandbox' }),
    ]);
  });

  it('fails with the words of the install', async () => {
    const parameters = { operation: 'create', connections: ['unknown'], text: 'x' };

    await expect(execute(parameters)).rejects.toThrow('No connection of yours has the slug "unknown"');
  });
});

it('the trigger registers a webhook, enables one that was given up, passes signed events on once, refuses others, and deletes the webhook', async () => {
  const { webhook, webhookMethods } = new (requireNodes().CarillonTrigger)();
  const { checkExists, create, delete: remove } = webhookMethods.default;
  const receiver = await startReceiver();
  const stored: Record<string, unknown> = {};
  const parts = { getNodeWebhookUrl: () => receiver.url, getWorkflowStaticData: () => stored };
  const context = contextOf({ events: ['post.sent'] }, parts);
  // The node takes the time of the machine.
  const lag = Date.now() - world.clock.now().getTime();
  if (lag > 0) await world.advance(lag);
  const before = await checkExists.call(context);
  await create.call(context);
  await world.sql(`update webhooks set disabled_at = created_at, disabled_reason = 'failing'`);
  const between = await checkExists.call(context);
  const [enabled] = (await world.rest('GET /webhooks')).body.webhooks;
  await world.rest('POST /posts', { body: { text: 'Announced', connectionSlugs: ['sandbox'] } });
  await world.runDue();
  await expect.poll(() => receiver.received.length).toBe(1);
  const [{ headers, raw }] = receiver.received as [(typeof receiver.received)[0]];
  const answers: unknown[] = [];
  const receive = (body: string) =>
    webhook.call({
      ...context,
      getRequestObject: () => ({ headers, rawBody: Buffer.from(body) }),
      getResponseObject: () => ({ status: (code: number) => ({ send: () => answers.push(code) }) }),
    });

  const first = await receive(raw);
  const again = await receive(raw);
  const forged = await receive(raw.replace('Announced', 'Forged'));
  const isRemoved = await remove.call(context);

  expect([before, between, isRemoved]).toEqual([false, true, true]);
  expect(enabled).toMatchObject({ disabledAt: null, disabledReason: null });
  expect(first.workflowData[0][0].json).toMatchObject({ event: 'post.sent', post: { text: 'Announced' } });
  expect([again, forged, answers]).toEqual([{}, { noWebhookResponse: true }, [400]]);
  expect(stored).not.toHaveProperty('secret');
  expect((await world.rest('GET /webhooks')).body.webhooks).toEqual([]);
});
