/** docs/examples/carillon_example.py does over REST what it says, with the Python of the machine. */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { accountWithSandbox } from '../harness/connections.ts';
import { freePort } from '../harness/free-port.ts';
import { plain } from '../harness/images.ts';
import { makePost } from '../harness/posts.ts';
import { registerWebhook } from '../harness/receiver.ts';
import { startWorld } from '../harness/world.ts';

const SCRIPT = 'docs/examples/carillon_example.py';
const run = promisify(execFile);
const world = await startWorld();

function pythonOfMachine(): string | undefined {
  try {
    const version = execFileSync('python3', ['--version'], { encoding: 'utf8' });
    const [, minor = '0'] = /^Python 3\.(\d+)/.exec(version) ?? [];
    return Number(minor) >= 9 ? version.trim() : undefined;
  } catch {
    return undefined;
  }
}

const python = pythonOfMachine();
if (python === undefined) console.log(`${SCRIPT} is not tested: no python3 of 3.9 or later is on the PATH`);

const envOf = (key: string, url = world.url) => ({ PATH: process.env['PATH'], CARILLON_URL: url, CARILLON_KEY: key });

/** A server that sends requests on to the world, and breaks the connection of the first ones when they were answered. */
async function losingAnswers(count: number): Promise<{ url: string; keys: unknown[] }> {
  const keys: unknown[] = [];
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { 'x-api-key': apiKey, 'idempotency-key': key, 'content-type': type } = request.headers;
    keys.push(key);
    const headers = { 'x-api-key': String(apiKey), 'idempotency-key': String(key), 'content-type': String(type) };
    const answer = await fetch(world.url + request.url, { method: 'POST', headers, body: Buffer.concat(chunks) });
    const text = await answer.text();
    if (keys.length <= count) return request.socket.destroy();
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as { port: number }).port}`, keys };
}

describe.skipIf(python === undefined)('the Python example', () => {
  it('creates a post once, although the answers to its first two tries are lost', async () => {
    const { key } = await accountWithSandbox(world);
    const { url, keys } = await losingAnswers(2);

    const { stdout } = await run('python3', [SCRIPT, 'post', 'Hello from Python 🔔', 'sandbox'], {
      env: envOf(key, url),
    });

    const { body } = await world.rest('GET /posts', { key });
    expect(body.posts).toMatchObject([{ text: 'Hello from Python 🔔', status: 'sent' }]);
    expect(JSON.parse(stdout)).toMatchObject([{ status: 'sent', postId: body.posts[0].id }]);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
  });

  it('stops at a refusal, with the sentence of the service', async () => {
    const failed = run('python3', [SCRIPT, 'post', 'Hello', 'nowhere'], { env: envOf(world.liveKey) });

    await expect(failed).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('nowhere') });
  });

  it('uploads an image with its description', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'carillon-python-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = path.join(folder, 'picture.png');
    writeFileSync(file, await plain(8, 8).png().toBuffer());

    const { stdout } = await run('python3', [SCRIPT, 'upload', file, 'A bell & more'], { env: envOf(world.liveKey) });

    const { id } = JSON.parse(stdout);
    const { body } = await world.rest(`GET /media/${id}`);
    expect(body.media).toMatchObject({ id, contentType: 'image/png', altText: 'A bell & more' });
  });

  it('follows events, and continues after a position', async () => {
    const { key } = await accountWithSandbox(world);
    const first = spawn('python3', [SCRIPT, 'follow'], { env: envOf(key), stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void first.kill());
    const lines: string[] = [];
    first.stdout.setEncoding('utf8').on('data', (text: string) => lines.push(...text.trim().split('\n')));
    // Python has no stream yet when it starts; events before that are not for it.
    while (lines.length === 0) {
      await makePost(world, 'sandbox', { key, text: 'One' });
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    const { position, event } = JSON.parse(lines[0] ?? '');
    first.kill();
    await makePost(world, 'sandbox', { key, text: 'Two' });

    const second = await run('python3', [SCRIPT, 'follow', '1'], { env: { ...envOf(key), LAST_EVENT_ID: position } });

    expect(event).toMatchObject({ eventId: position, event: 'post.sent', post: { text: 'One' } });
    expect(JSON.parse(second.stdout).event).toMatchObject({ event: 'post.sent', post: { text: expect.any(String) } });
    expect(JSON.parse(second.stdout).position).not.toBe(position);
  });

  it('accepts the deliveries of a webhook, and refuses other requests', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/hook`;
    const { id, secret } = await registerWebhook(world, url);
    // The service signs with the world's clock, which is fixed at another time than the machine's.
    world.clock.set(new Date());
    const env = { ...envOf(''), WEBHOOK_SECRET: secret };
    const receiver = spawn('python3', [SCRIPT, 'receive', String(port)], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void receiver.kill());
    let output = '';
    receiver.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    await expect
      .poll(() =>
        fetch(url, { method: 'POST' }).then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(400);
    const { body } = await world.rest(`POST /webhooks/${id}/test`);

    await world.runDue();

    const listed = await world.rest(`GET /webhooks/${id}/deliveries`);
    expect(listed.body.deliveries).toMatchObject([{ status: 'delivered', lastStatusCode: 204 }]);
    expect(output).toContain(`post.sent ${body.delivery.id}\n`);
    expect(output).toContain('refused: The signature does not match');
  });
});
