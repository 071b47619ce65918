/** The examples of docs/guide/webhooks.md run as separate programs, and the guide quotes them exactly. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { linkedProject } from '../client/consumer-project.ts';
import { freePort } from '../harness/free-port.ts';
import { registerWebhook } from '../harness/receiver.ts';
import { startWorld } from '../harness/world.ts';

const EXAMPLES = globSync('docs/examples/webhook-*.ts').toSorted();
const guide = readFileSync('docs/guide/webhooks.md', 'utf8');
const world = await startWorld();
const project = linkedProject(['express', 'fastify']);
for (const file of EXAMPLES) cpSync(file, path.join(project, path.basename(file)));

/** Starts an example and waits until it answers. */
async function start(file: string, port: number, secret: string) {
  const child = spawn(process.execPath, [path.join(project, path.basename(file))], {
    env: { PATH: process.env['PATH'], PORT: String(port), WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  onTestFinished(async () => {
    const gone = once(child, 'exit');
    child.kill();
    await gone;
  });
  for (let turn = 0; turn < 300; turn += 1) {
    const answers = await fetch(`http://127.0.0.1:${port}/hook`, { method: 'POST' }).catch(() => null);
    if (answers !== null) return { output: () => output };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${file} did not start`);
}

it('exist for Express, Fastify and plain Node', () => {
  expect(EXAMPLES.map((file) => /webhook-(\w+)\.ts$/.exec(file)?.[1])).toEqual(['express', 'fastify', 'node']);
});

it.each(EXAMPLES)('%s accepts what Carillon posts, and refuses other posts', async (file) => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/hook`;
  const { id, secret } = await registerWebhook(world, url);
  // The service signs with the world's clock, which is fixed at another time than the machine's.
  world.clock.set(new Date());
  const example = await start(file, port, secret);
  const { body } = await world.rest(`POST /webhooks/${id}/test`);

  await world.runDue();

  const listed = await world.rest(`GET /webhooks/${id}/deliveries`);
  expect(listed.body.deliveries).toMatchObject([{ status: 'delivered', lastStatusCode: 204 }]);
  expect(example.output()).toContain(`post.sent ${body.delivery.id}\n`);
  const headers = { 'content-type': 'application/json', 'x-service-signature': `t=1,v1=${'0'.repeat(64)}` };
  const forged = await fetch(url, { method: 'POST', headers, body: '{}' });
  expect([forged.status, await forged.text()]).toEqual([400, expect.stringContaining('The signature does not match')]);
});

it.each(EXAMPLES)('%s is quoted in the guide unchanged', (file) => {
  const [, ...code] = readFileSync(file, 'utf8').split('\n');

  expect(guide).toContain(`\`\`\`ts\n${code.join('\n')}\`\`\`\n`);
});
