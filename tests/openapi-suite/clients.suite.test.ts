/** Clients generated from the OpenAPI document compile in strict mode, and their calls work. */
import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createOpenApiDocument } from '../../server/openapi.ts';
import { startWorld } from '../harness/world.ts';
import { runTool, TOOLS } from './ensure-tools.ts';

/** A program that uses either client and prints JSON. It reads typed answers, so the types must be right. */
const CONSUMERS = {
  'openapi-typescript': `
    import createClient from 'openapi-fetch';
    import type { components, paths, webhooks } from './generated';

    type Sent = components['schemas']['PostSentEvent'];
    type Posted = webhooks['post.sent']['post']['requestBody']['content']['application/json'];
    export const describeEvent = (event: Posted): string => {
      const sent: Sent = event;
      return sent.post.status;
    };

    async function main() {
      const client = createClient<paths>({ baseUrl: process.env['BASE_URL'] ?? '', headers: { 'x-api-key': process.env['KEY'] ?? '' } });
      const created = await client.POST('/posts', {
        params: { header: { 'Idempotency-Key': 'once' } },
        body: { text: 'From a generated client', connectionSlugs: ['sandbox'], tags: ['generated'] },
      });
      const postId: string = created.data?.results[0]?.postId ?? '';
      const read = await client.GET('/posts/{postId}', { params: { path: { postId } } });
      const listed = await client.GET('/posts', { params: { query: { tag: ['generated'], limit: 1 } } });
      const draft = await client.POST('/posts', { body: { text: 'A draft', connectionSlugs: ['sandbox'], isDraft: true } });
      const published = await client.POST('/posts/{postId}/publish', { params: { path: { postId: draft.data?.results[0]?.postId ?? '' } } });
      const refused = await client.POST('/profiles', { body: { name: '' } });
      // @ts-expect-error the text is missing
      await client.POST('/posts/validate', { body: { connectionSlugs: ['sandbox'] } });
      console.log(JSON.stringify({
        text: read.data?.post.text, listed: listed.data?.posts.length, published: published.data?.result.status, error: refused.error?.error,
      }));
    }
    void main();`,
  'hey-api': `
    import { connectionsList, postsCreate, postsGet, postsList, postsPublish, postsValidate, profilesCreate } from './generated';
    import { client } from './generated/client.gen';
    import type { PostSentEvent } from './generated';

    export const describeEvent = (event: PostSentEvent): string => event.post.status;

    async function main() {
      client.setConfig({ baseUrl: process.env['BASE_URL'] ?? '', headers: { 'x-api-key': process.env['KEY'] ?? '' } });
      const connections = await connectionsList();
      const slug: string = connections.data?.connections[0]?.slug ?? '';
      const created = await postsCreate({ headers: { 'Idempotency-Key': 'twice' }, body: { text: 'From a generated client', connectionSlugs: [slug], tags: ['generated-too'] } });
      const read = await postsGet({ path: { postId: created.data?.results[0]?.postId ?? '' } });
      const listed = await postsList({ query: { tag: ['generated-too'], limit: 1 } });
      const draft = await postsCreate({ body: { text: 'A draft', connectionSlugs: [slug], isDraft: true } });
      const published = await postsPublish({ path: { postId: draft.data?.results[0]?.postId ?? '' } });
      const refused = await profilesCreate({ body: { name: '' } });
      // @ts-expect-error the text is missing
      await postsValidate({ body: { connectionSlugs: [slug] } });
      console.log(JSON.stringify({
        text: read.data?.post.text, listed: listed.data?.posts.length, published: published.data?.result.status, error: refused.error?.error,
      }));
    }
    void main();`,
} as const;

type Generator = keyof typeof CONSUMERS;

async function generate(generator: Generator, folder: string): Promise<void> {
  if (generator === 'openapi-typescript') {
    await runTool('openapi-typescript/bin/cli.js', ['document.json', '-o', 'generated.ts'], folder);
  } else {
    const parameters = ['-i', 'document.json', '-o', 'generated', '-c', '@hey-api/client-fetch', '--no-log-file'];
    await runTool('@hey-api/openapi-ts/bin/run.js', parameters, folder);
  }
}

const COMPILER = [
  '--strict',
  '--noUncheckedIndexedAccess',
  '--skipLibCheck',
  '--target',
  'es2022',
  '--lib',
  'es2022,dom,dom.iterable',
  '--types',
  'node',
  '--module',
  'commonjs',
  '--moduleResolution',
  'node10',
  '--esModuleInterop',
  '--outDir',
  'compiled',
];

describe.for(Object.keys(CONSUMERS) as Generator[])('%s', (generator) => {
  it('generates a client that compiles and works', async () => {
    const world = await startWorld();
    const folder = join(TOOLS, 'clients', generator);
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), '{ "type": "commonjs" }');
    await writeFile(join(folder, 'document.json'), JSON.stringify(createOpenApiDocument(world.url, '2.0.0')));
    await writeFile(join(folder, 'consumer.ts'), CONSUMERS[generator]);

    await generate(generator, folder);
    await runTool('typescript/bin/tsc', [...COMPILER, 'consumer.ts'], folder);
    const env = { PATH: process.env['PATH'], BASE_URL: `${world.url}/api/v2`, KEY: world.liveKey };
    const { stdout } = await promisify(execFile)(process.execPath, ['compiled/consumer.js'], { cwd: folder, env });

    expect(JSON.parse(stdout)).toEqual({
      text: 'From a generated client',
      listed: 1,
      published: 'sent',
      error: 'invalid_request',
    });
  });
});
