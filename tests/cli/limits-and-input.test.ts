/** How commands wait when the service asks them to, and what they read from standard input. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { connectSandbox } from '../harness/connections.ts';
import { startWorld } from '../harness/world.ts';
import { PNG, runCli, streamClock, temporaryFolder } from './run-cli.ts';

const world = await startWorld();
await connectSandbox(world, { slug: 'bell' });

/** The answer of tRPC to a call that is one too many. */
function tooMany(retryAfter: string): Response {
  const error = { error: 'too many requests', message: 'Too many requests.', retryable: true };
  const data = { code: 'TOO_MANY_REQUESTS', httpStatus: 429, error };
  const body = { error: { code: -32_029, message: 'Too many requests.', data } };
  return Response.json(body, { status: 429, headers: { 'retry-after': retryAfter } });
}

/** A command whose first call over tRPC is answered with 429. */
async function limited(retryAfter: string) {
  const waits: number[] = [];
  let isFirst = true;
  const fetchLimited: typeof fetch = (input, init) => {
    if (!isFirst || !String(input instanceof Request ? input.url : input).includes('/trpc/')) return fetch(input, init);
    isFirst = false;
    return Promise.resolve(tooMany(retryAfter));
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

/** Uploads two images; the first answer to an upload of the second is replaced. */
async function uploadTwo(replace: (upload: () => Promise<Response>) => Promise<Response>) {
  const folder = temporaryFolder();
  const files = ['first.png', 'second.png'].map((name) => path.join(folder, name));
  for (const file of files) writeFileSync(file, PNG);
  const before = (await world.rest('GET /media')).body.media.length as number;
  const waits: number[] = [];
  let uploads = 0;
  const request: typeof fetch = (input, init) => {
    const upload = () => fetch(input, init);
    if (!String(input).includes('media.upload')) return upload();
    uploads += 1;
    return uploads === 2 ? replace(upload) : upload();
  };
  const clock = { ...streamClock(world), sleep: (ms: number) => Promise.resolve(void waits.push(ms)) };

  const { exitCode, stdout } = await runCli(world, ['media', 'upload', ...files], { io: { fetch: request, clock } });

  const { media } = (await world.rest('GET /media')).body;
  const printed = stdout.trimEnd().split('\n');
  return { exitCode, waits, printed: printed.map((line) => path.basename(line)), stored: media.length - before };
}

it('an upload that is one too many waits, and is made once', async () => {
  expect(await uploadTwo(async () => tooMany('7'))).toEqual({
    exitCode: 0,
    waits: [7_000],
    printed: ['first.png', 'second.png'],
    stored: 2,
  });
});

it('an upload whose answer is lost is not repeated, because it may be stored', async () => {
  const losing = async (upload: () => Promise<Response>) => {
    await upload();
    throw new TypeError('fetch failed');
  };

  expect(await uploadTwo(losing)).toEqual({ exitCode: 7, waits: [], printed: ['first.png'], stored: 2 });
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
