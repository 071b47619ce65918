/** The client package in another TypeScript project: types only, and a working client. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { execFile } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWorld } from '../harness/world.ts';

const root = path.join(import.meta.dirname, '..', '..');
const run = promisify(execFile);
const world = await startWorld();
const project = mkdtempSync(path.join(tmpdir(), 'carillon-consumer-'));

const CONSUMER = `
import { createClient, verifyWebhook, type AppRouter, type WebhookEvent } from 'carillon';
import type { inferRouterOutputs } from '@trpc/server';
type Posts = inferRouterOutputs<AppRouter>['posts']['list']['posts'];
const client = createClient({ url: process.argv[2]!, apiKey: process.argv[3]! });
const { results } = await client.posts.create.mutate({ text: 'From another project', connectionSlugs: ['sandbox'] });
const status: 'sent' | 'scheduled' | 'draft' | 'failed' | undefined = results[0]?.status;
const posts: Posts = (await client.posts.list.query({ limit: 1 })).posts;
// @ts-expect-error a misspelt field is an error in the editor already
const misspelt = () => client.posts.create.mutate({ text: 'x', connectionSlugs: ['sandbox'], scheduleFor: 'now' });
const event: Promise<WebhookEvent> = verifyWebhook('{}', {}, 'whsec_');
const refused = await event.catch((error: Error) => error.name);
console.log(JSON.stringify([status, posts[0]?.text, typeof misspelt, refused]));
`;

beforeAll(() => {
  execFileSync(process.execPath, [path.join(root, 'scripts', 'build-client.js')], { stdio: 'ignore' });
  mkdirSync(path.join(project, 'node_modules', '@trpc'), { recursive: true });
  symlinkSync(root, path.join(project, 'node_modules', 'carillon'));
  symlinkSync(
    path.join(root, 'node_modules', '@trpc', 'server'),
    path.join(project, 'node_modules', '@trpc', 'server'),
  );
  symlinkSync(path.join(root, 'node_modules', '@types'), path.join(project, 'node_modules', '@types'));
  writeFileSync(path.join(project, 'package.json'), JSON.stringify({ type: 'module' }));
  writeFileSync(path.join(project, 'consumer.ts'), CONSUMER);
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2022',
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: ['node'],
  };
  writeFileSync(path.join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['consumer.ts'] }));
});

afterAll(() => rmSync(project, { recursive: true, force: true }));

describe('another TypeScript project', () => {
  it('compiles against the types, and reports a misspelt field', async () => {
    const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');

    const { stdout } = await run(process.execPath, [tsc, '-p', project]);

    expect(stdout).toBe('');
  });

  it('creates and reads posts with createClient', async () => {
    const { stdout } = await run(process.execPath, [path.join(project, 'consumer.ts'), world.url, world.liveKey]);

    expect(JSON.parse(stdout)).toEqual(['sent', 'From another project', 'function', 'WebhookVerificationError']);
  });
});
