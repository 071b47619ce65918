/** The packed client in another TypeScript project that has nothing else, and in a React project: its types, and calls. */
import { execFile, execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { startWorld } from '../harness/world.ts';
import { link, packedProject, ROOT, typeCheck } from './consumer-project.ts';
import { nodeOfMachine } from './node-of-machine.ts';

const run = promisify(execFile);
const world = await startWorld();
let project: { readonly folder: string; readonly files: readonly string[] };
beforeAll(() => {
  project = packedProject();
});

const CONSUMER = `
import {
  createClient, errorBodyOf, verifyWebhook,
  type ErrorCode, type Inputs, type Outputs, type WebhookEvent, type WebhookEventOf,
} from 'carillon-client';
const [url = '', apiKey = ''] = (globalThis as unknown as { process: { argv: string[] } }).process.argv.slice(2);
const client = createClient({ url, apiKey });
const input: Inputs['posts']['create'] = { text: 'From another project', connectionSlugs: ['sandbox'] };
const { results } = await client.posts.create.mutate(input);
const status: 'sent' | 'scheduled' | 'draft' | 'failed' | undefined = results[0]?.status;
const posts: Outputs['posts']['list']['posts'] = (await client.posts.list.query({ limit: 1 })).posts;
// @ts-expect-error a misspelt field is an error in the editor already
const misspelt = () => client.posts.create.mutate({ text: 'x', connectionSlugs: ['sandbox'], scheduleFor: 'now' });
// @ts-expect-error an operation that changes has no query
const changing = () => client.posts.create.query(input);
const told = (event: WebhookEvent): string | null => {
  // @ts-expect-error only some events have a post
  event.post;
  switch (event.event) {
    case 'post.failed': return event.post.error?.code ?? null;
    case 'post.metrics': return String(event.metrics.likes);
    case 'connection.created': return event.connection.slug;
    default: return event.eventId;
  }
};
const sent = { eventId: 'e', event: 'connection.created', timestamp: '', connection: { slug: 'bells' } };
const code: ErrorCode = 'queue_full';
// @ts-expect-error no such code
const wrong: ErrorCode = 'queue_fool';
const refused = await verifyWebhook('{}', {}, 'whsec_').catch((error: Error) => error.name);
const missing = await client.posts.get.query({ postId: 'x' }).catch((error: unknown) => errorBodyOf(error)?.error);
console.log(JSON.stringify([status, posts[0]?.text, told(sent as WebhookEventOf<'connection.created'>), refused, missing, code]));
void [misspelt, changing, wrong];
`;

describe('another TypeScript project, in which only the package is installed', () => {
  beforeAll(() => writeFileSync(path.join(project.folder, 'consumer.ts'), CONSUMER));

  it.each([
    ['strict', {}],
    ['with exact optional properties', { exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true }],
    ['for a bundler', { module: 'esnext', moduleResolution: 'bundler' }],
  ])('compiles against the types and reports a misspelt field, %s', (_name, options) => {
    expect(typeCheck(project.folder, options, ['consumer.ts'])).toBe('');
  });

  it('creates and reads posts, on the Node of the product and on that of the machine', async () => {
    const own = await run(process.execPath, [path.join(project.folder, 'consumer.ts'), world.url, world.liveKey]);
    const expected = [
      'sent',
      'From another project',
      'bells',
      'WebhookVerificationError',
      'invalid_request',
      'queue_full',
    ];

    expect(JSON.parse(own.stdout)).toEqual(expected);
    const machine = nodeOfMachine();
    if (machine === undefined)
      return console.log('skipped: no Node 20.3 or later is on the PATH besides the pinned one');
    const script = path.join(project.folder, 'consumer.js');
    const compiler = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    execFileSync(process.execPath, [compiler, '-p', project.folder, '--noEmit', 'false']);
    const other = await run(machine.path, [script, world.url, world.liveKey]);
    expect(JSON.parse(other.stdout)).toEqual(expected);
  });
});

describe('a React project', () => {
  it('has query and mutation options of each operation, with their types', async () => {
    const { folder } = project;
    for (const name of ['@tanstack/react-query', '@trpc/client', '@trpc/server', '@trpc/tanstack-react-query'])
      link(folder, name, path.join(ROOT, 'node_modules', name));
    writeFileSync(
      path.join(folder, 'react.ts'),
      `
import { QueryClient } from '@tanstack/react-query';
import { createClient } from 'carillon-client';
import { createQueryOptions, type AppRouter } from 'carillon-client/react-query';
import type { inferRouterOutputs } from '@trpc/server';
const [url = '', apiKey = ''] = (globalThis as unknown as { process: { argv: string[] } }).process.argv.slice(2);
const queryClient = new QueryClient();
const options = createQueryOptions({ client: createClient({ url, apiKey }), queryClient });
const create = options.posts.create.mutationOptions();
await create.mutationFn?.({ text: 'By a mutation', connectionSlugs: ['sandbox'] }, {} as never);
const list = await queryClient.fetchQuery(options.posts.list.queryOptions({ limit: 1 }));
const posts: inferRouterOutputs<AppRouter>['posts']['list']['posts'] = list.posts;
// @ts-expect-error a misspelt field
const misspelt = () => options.posts.list.queryOptions({ limits: 1 });
console.log(JSON.stringify([posts[0]?.text, options.posts.list.queryKey({ limit: 1 }), typeof misspelt]));
`,
    );

    expect(typeCheck(folder, { skipLibCheck: true }, ['react.ts'])).toBe('');
    const { stdout } = await run(process.execPath, [path.join(folder, 'react.ts'), world.url, world.liveKey]);

    expect(JSON.parse(stdout)).toEqual([
      'By a mutation',
      [['posts', 'list'], { input: { limit: 1 }, type: 'query' }],
      'function',
    ]);
  });
});
