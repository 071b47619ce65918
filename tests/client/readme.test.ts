/** The examples of the client's README run as they are, on the Node of the product and on that of the machine. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { sign } from '../../services/webhooks/sign.ts';
import { startWorld } from '../harness/world.ts';
import { link, linkedProject, ROOT, typeCheck } from './consumer-project.ts';
import { nodeOfMachine } from './node-of-machine.ts';

const run = promisify(execFile);
const readme = readFileSync(path.join(ROOT, 'client', 'README.md'), 'utf8');
const world = await startWorld({ env: { RATE_LIMIT_PER_MINUTE: '10000' } });
const project = linkedProject();

/** Each example with the heading above it. */
const EXAMPLES = [...readme.matchAll(/## ([^\n]+)\n(?:(?!\n## )[^])*?```js\n([^]*?)```/g)].map(
  ([, heading = '', code = '']) => ({ heading, code, file: path.join(project, `${heading.replaceAll(' ', '-')}.js`) }),
);
for (const { file, code } of EXAMPLES) writeFileSync(file, code);

const env = { PATH: process.env['PATH'], CARILLON_URL: world.url, CARILLON_KEY: world.liveKey };
const nodes = [process.execPath, nodeOfMachine()?.path].filter((node) => node !== undefined);

/** What an example says that it prints: the comments after its console.log calls. */
const promised = (code: string) => [...code.matchAll(/console\.log\([^\n]*\); \/\/ ([^\n]+)/g)].map(([, text]) => text);

describe('README.md of the client', () => {
  it('has examples of everything that the client does', () => {
    expect(EXAMPLES.map(({ heading }) => heading)).toEqual([
      'Publish a post',
      'Recognise an error',
      'Repeats',
      'Upload an image',
      'Follow events',
      'Verify a webhook',
    ]);
  });

  it.each(
    EXAMPLES.filter(({ code }) => promised(code).length > 0).flatMap((one) => nodes.map((node) => ({ ...one, node }))),
  )('"$heading" prints what it says, with $node', async ({ file, code, node }) => {
    const { stdout, stderr } = await run(node, [file], { env });

    expect({ printed: stdout.trim().split('\n'), stderr }).toEqual({ printed: promised(code), stderr: '' });
  });

  it('"Verify a webhook" accepts what the service signs, and refuses other requests', async () => {
    const { receive } = (await import(path.join(project, 'Verify-a-webhook.js'))) as {
      receive(request: Request): Promise<Response>;
    };
    process.env['WEBHOOK_SECRET'] = 'whsec_secret';
    const body = JSON.stringify({ eventId: 'e', event: 'post.sent', timestamp: '', post: {} });
    const signature = sign(body, 'whsec_secret', new Date());
    const post = (headers: Record<string, string>) => new Request('http://here', { method: 'POST', body, headers });

    expect((await receive(post({ 'x-service-signature': signature }))).status).toBe(204);
    expect((await receive(post({}))).status).toBe(400);
  });

  it('has an example for React that compiles', () => {
    const [, code = ''] = /```tsx\n([^]*?)```/.exec(readme) ?? [];
    for (const name of ['@tanstack/react-query', '@trpc', '@types', 'react'])
      link(project, name, path.join(ROOT, 'node_modules', name));
    writeFileSync(path.join(project, 'posts.tsx'), code);
    const options = { jsx: 'react-jsx', module: 'esnext', moduleResolution: 'bundler', skipLibCheck: true };

    expect(typeCheck(project, options, ['posts.tsx'])).toBe('');
  });
});
