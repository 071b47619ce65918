/** A post that its platform did not take is sent again under its id: its earlier call may still arrive, and a new post would not look for it. */
import { afterAll, expect, it } from 'vitest';
import { connectSandbox } from '../harness/connections.ts';
import { startWorld } from '../harness/world.ts';
import { startFakeX } from '../platforms/fakes/fake-x.ts';
import { runCli } from './run-cli.ts';

const x = await startFakeX({ now: () => world.clock.now() });
afterAll(() => x.close());
const world = await startWorld({ env: { X_API_URL: x.url } });
await connectSandbox(world, { slug: 'bell' });
await connectSandbox(world, { slug: 'gong' });
x.addAccount('alice', 'token-of-alice');
await world.rest('POST /connections', {
  body: { platformId: 'x', slug: 'alice', credentials: { accessToken: 'token-of-alice' } },
});

const run = (...args: string[]) => runCli(world, args);
const hintFor = (id: string) => `Send it again with: carillon retry ${id}\n`;
const idsIn = (text: string) => [...text.matchAll(/ {2}post (\S+)$/gm)].map(([, id = '']) => id);

it('names the command that sends it again, which finds a lost call that arrived meanwhile', async () => {
  x.faults.push('drops_before');
  const first = await run('post', 'Ding', '--to', 'alice');
  const [id = ''] = idsIn(first.stdout);
  // The lost call arrives at X now.
  await fetch(`${x.url}/2/tweets`, {
    method: 'POST',
    headers: { authorization: 'Bearer token-of-alice', 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'Ding' }),
  });
  const again = await run('retry', id);

  expect(first).toEqual({
    exitCode: 7,
    stdout: expect.stringMatching(/^alice  failed  .+ \(platform_unavailable\)  post \S+\n$/),
    stderr: hintFor(id),
  });
  expect(again).toEqual({ exitCode: 0, stdout: expect.stringMatching(/^alice  sent  .+\n$/), stderr: '' });
  expect(x.posts().map(({ text }) => text)).toEqual(['Ding']);
});

it('names a command for each connection, also for a draft and for a retry, and none for a post that was refused', async () => {
  const thread = await run('thread', '[[unavailable]]', 'Two', '--to', 'bell', '--to', 'gong');
  const [id = ''] = idsIn((await run('post', '[[unavailable]]', '--to', 'bell', '--draft')).stdout);
  const published = await run('drafts', 'publish', id);
  const again = await run('retry', id);
  const refused = await run('post', '[[reject]]', '--to', 'bell');

  expect(idsIn(thread.stdout)).toHaveLength(2);
  expect([thread.exitCode, thread.stderr]).toEqual([7, idsIn(thread.stdout).map(hintFor).join('')]);
  expect([published.exitCode, published.stderr]).toEqual([7, hintFor(id)]);
  expect([again.exitCode, again.stderr]).toEqual([7, hintFor(id)]);
  expect([refused.exitCode, refused.stderr]).toEqual([3, '']);
});

it('names it on standard error with --json, and prints the answer alone on standard output', async () => {
  const { exitCode, stdout, stderr } = await run('post', '[[unavailable]] json', '--to', 'bell', '--json');

  const { id, error } = (await world.rest('GET /posts?q=json')).body.posts[0];
  const rest = { url: null, scheduledFor: null, threadCount: 0, hasFirstComment: false };
  const result = { connectionSlug: 'bell', status: 'failed', postId: id, ...rest, error };
  expect([exitCode, JSON.parse(stdout), stderr]).toEqual([7, { results: [result] }, hintFor(id)]);
});
