/** The packed client in another TypeScript project that has nothing else: its files, its size, its types, and a call. */
import { execFile, execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build, type Rolldown } from 'vite';
import { beforeAll, describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import clientJson from '../../client/package.json' with { type: 'json' };
import { KEYED_OPERATIONS } from '../../client/retry-policy.ts';
import { operations } from '../../routers/operations.ts';
import { startWorld } from '../harness/world.ts';
import { buildClient, link, packedProject, ROOT, typeCheck } from './consumer-project.ts';
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

describe('the package', () => {
  it('has the version of the product, no dependencies, and is licensed like it', () => {
    expect(clientJson).toMatchObject({ version: packageJson.version, license: packageJson.license });
    expect(Object.keys(clientJson)).not.toContain('dependencies');
    expect(Object.keys(clientJson)).not.toContain('private');
  });

  it('has its modules, their types, its README and the licenses, and nothing else', () => {
    const modules = project.files.filter((file) => file.endsWith('.js'));

    expect(modules).toEqual(['package/dist/index.js', 'package/dist/react-query.js']);
    expect(project.files.filter((file) => !/^package\/dist\/[\w-]+\.(js|d\.ts)$/.test(file))).toEqual([
      'package/README.md',
      'package/dist/LICENSES.txt',
      'package/package.json',
    ]);
  });

  it('takes less than 15 KB in a page, minified and compressed', async () => {
    const entry = path.join(project.folder, 'node_modules', 'carillon-client', 'dist', 'index.js');
    const output = (await build({
      configFile: false,
      logLevel: 'error',
      build: {
        write: false,
        target: 'es2022',
        lib: { entry, formats: ['es'], fileName: 'client' },
        rolldownOptions: { output: { minify: true } },
      },
    })) as Rolldown.RolldownOutput[];
    const [chunk] = output.flatMap((one) => one.output);
    const code = chunk?.type === 'chunk' ? chunk.code : '';

    const sizes = { minified: Buffer.byteLength(code), compressed: gzipSync(code, { level: 9 }).length };
    console.log(`carillon-client: ${sizes.minified} bytes minified, ${sizes.compressed} compressed`);
    expect(code).toContain('CarillonError');
    expect(sizes.compressed).toBeLessThan(15 * 1024);
    expect(sizes.minified).toBeLessThan(40 * 1024);
  });

  it('imports nothing, and reads nothing that only Node has', () => {
    const code = readFileSync(path.join(project.folder, 'node_modules/carillon-client/dist/index.js'), 'utf8');

    expect(code.match(/^import .*/gm)).toBeNull();
    expect(code.match(/\b(process|Buffer|require)\b[.(]/g)).toBeNull();
  });

  it('knows which operations take an Idempotency-Key', () => {
    const keyed = operations.filter(({ meta }) => meta.takesIdempotencyKey === true).map(({ name }) => name);

    expect([...KEYED_OPERATIONS].toSorted()).toEqual(keyed.toSorted());
  });
});

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

describe('the types of the package', () => {
  it('are those of the operations, the events and the errors of the service', () => {
    buildClient();
    const compare = `
import type * as Built from '${ROOT}/client/dist/api-types.js';
import type * as Source from '${ROOT}/client/api-types.ts';
type Differing<A, B> = {
  [K in keyof A | keyof B]: K extends keyof A & keyof B
    ? [A[K]] extends [B[K]] ? ([B[K]] extends [A[K]] ? never : [K, 'is narrower']) : [K, 'is wider']
    : [K, 'is in one only'];
}[keyof A | keyof B];
type Differing2<A, B> = {
  [R in keyof A | keyof B]: R extends keyof A & keyof B ? Differing<A[R], B[R]> : [R, 'is in one only'];
}[keyof A | keyof B];
type None<T extends never> = T;
export type Checked = [
  None<Differing2<Built.Inputs, Source.Inputs>>,
  None<Differing2<Built.Outputs, Source.Outputs>>,
  None<Differing2<Built.Kinds, Source.Kinds>>,
  None<Differing<Built.EventPayloads, Source.EventPayloads>>,
  None<Differing<Omit<Built.ErrorBody, 'details'>, Omit<Source.ErrorBody, 'details'>>>,
];
export const details = (body: Built.ErrorBody): Source.ErrorBody['details'] => body.details;
// @ts-expect-error the comparison sees what differs
export type Seen = None<Differing<{ a: string }, { a: 'x' }>>;
`;
    const { folder } = project;
    writeFileSync(path.join(folder, 'compare.ts'), compare);
    link(folder, '@types', path.join(ROOT, 'node_modules', '@types'));
    const options = { types: ['node'], lib: ['esnext'], allowImportingTsExtensions: true, skipLibCheck: true };

    // The sources of the service have stricter options, so only what this file says counts.
    const reported = typeCheck(folder, { ...options, target: 'esnext' }, ['compare.ts']).split('\n');
    expect(reported.filter((line) => /\bcompare\.ts\(/.test(line))).toEqual([]);
  });

  it('describe each field as the OpenAPI document does', () => {
    const types = readFileSync(path.join(ROOT, 'client', 'dist', 'api-types.d.ts'), 'utf8');

    expect(types).toContain('/** Slugs of the connections to post to, 1 to 100. Repeats are ignored. */');
  });
});
