/** How commands wait when the service asks them to, and what they read from standard input. */
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { connectSandbox } from '../harness/connections.ts';
import { startWorld } from '../harness/world.ts';
import { runCli, temporaryFolder } from './run-cli.ts';

const world = await startWorld();
await connectSandbox(world, { slug: 'bell' });

/** A command whose first call over tRPC is answered with 429. */
async function limited(retryAfter: string) {
  const waits: number[] = [];
  let isFirst = true;
  const fetchLimited: typeof fetch = (input, init) => {
    if (!isFirst || !String(input instanceof Request ? input.url : input).includes('/trpc/')) return fetch(input, init);
    isFirst = false;
    const error = { error: 'too many requests', message: 'Too many requests.', retryable: true };
    const data = { code: 'TOO_MANY_REQUESTS', httpStatus: 429, error };
    const body = { error: { code: -32_029, message: 'Too many requests.', data } };
    return Promise.resolve(Response.json(body, { status: 429, headers: { 'retry-after': retryAfter } }));
  };
  const { clock } = world.context;
  const waiting = {
    now: () => clock.now(),
    elapsed: () => clock.elapsed(),
    deadline: clock.deadline.bind(clock),
    sleep: (ms: number) => Promise.resolve(void waits.push(ms)),
  };
  const text = `Limited for ${retryAfter}`;
  const io = { fetch: fetchLimited, clock: waiting };
  const { exitCode, stderr } = await runCli(world, ['post', text, '--to', 'bell'], { io });
  const { posts } = (await world.rest(`GET /posts?q=${encodeURIComponent(retryAfter)}`)).body;
  return { exitCode, stderr, waits, posts: posts.length as number };
}

it('a call that is one too many waits as long as the answer asks for', async () => {
  expect(await limited('7')).toEqual({
    exitCode: 0,
    stderr: 'Too many requests. Trying again in 7 s.\n',
    waits: [7_000],
    posts: 1,
  });
});

it('a call that is asked to wait for longer than 65 seconds ends with the error', async () => {
  const { exitCode, stderr, waits, posts } = await limited('3600');

  expect([exitCode, waits, posts]).toEqual([6, [], 0]);
  expect(stderr).toContain('Too many requests.');
  expect(stderr).toContain('The service asks to wait for 3600 s. Run the command again after that.');
});

it('standard input in another encoding is refused, and nothing is published', async () => {
  const { status, stderr } = spawnSync(process.execPath, ['cli/carillon.ts', 'post', '--to', 'bell'], {
    input: Buffer.from('Café ouvert', 'latin1'),
    env: { CARILLON_URL: world.url, CARILLON_KEY: world.liveKey, XDG_CONFIG_HOME: temporaryFolder() },
    encoding: 'utf8',
  });

  expect([status, stderr]).toEqual([1, expect.stringContaining('Standard input is not in UTF-8.')]);
  expect((await world.rest('GET /posts?q=ouvert')).body.posts).toEqual([]);
});
