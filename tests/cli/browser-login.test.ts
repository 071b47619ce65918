/** `carillon login` through the browser: the tokens of a grant for the API, which are renewed, and end with it. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { systemClock } from '../../server/clocks.ts';
import { freePort } from '../crash/server-process.ts';
import { OWNER_ENV, signedInBrowser } from '../harness/owner.ts';
import { makePost } from '../harness/posts.ts';
import { startWorld } from '../harness/world.ts';
import { answerConsent } from './consent.ts';
import { runCli, streamClock, temporaryFolder, type RunOptions } from './run-cli.ts';

const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const world = await startWorld({ port, env: { ...OWNER_ENV, PUBLIC_URL: url } });
const owner = await signedInBrowser(world);

const run = (folder: string, args: string[], { env, ...options }: RunOptions = {}) =>
  runCli(world, args, {
    ...options,
    env: { XDG_CONFIG_HOME: folder, CARILLON_KEY: undefined, CARILLON_URL: undefined, ...env },
  });

const POST = ['post', 'Ding', '--to', world.sandboxSlug];

const fileIn = (folder: string) => path.join(folder, 'carillon', 'login.json');
const storedIn = (folder: string) => JSON.parse(readFileSync(fileIn(folder), 'utf8'));

/** A person whose browser opens and answers the consent page. */
function person(answer?: Parameters<typeof answerConsent>[2]) {
  return { openBrowser: (address: string) => void answerConsent(owner, address, answer) };
}

/** A folder in which somebody has signed in. */
async function signedIn(reach = 'account'): Promise<string> {
  const folder = temporaryFolder();
  const { exitCode, stderr } = await run(folder, ['login', '--url', url], { io: person({ reach }) });
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining(`Sign in at ${url}/oauth/authorize?`)]);
  return folder;
}

it('stores tokens that only the user can read, and every command works with them', async () => {
  const folder = await signedIn();

  expect(storedIn(folder)).toEqual({
    url,
    clientId: expect.any(String),
    accessToken: expect.any(String),
    refreshToken: expect.any(String),
    expiresAt: expect.any(Number),
  });
  expect(statSync(fileIn(folder)).mode & 0o777).toBe(0o600);
  expect((await run(folder, ['whoami'])).stdout).toContain('through the browser (account)');
  const posted = await run(folder, ['post', 'From my terminal', '--to', world.sandboxSlug]);
  expect([posted.exitCode, posted.stdout]).toEqual([0, expect.stringContaining('sent')]);
  const exported = await run(folder, ['export', 'posts']);
  expect([exported.exitCode, exported.stdout]).toEqual([0, expect.stringContaining('From my terminal')]);
  const [entry] = (await world.rest('GET /audit?limit=1')).body.entries;
  expect(entry.actor).toMatchObject({
    kind: 'oauth_client',
    name: expect.stringMatching(/^Carillon command line on /),
  });
});

it('reaches no more than the person chose, and nothing that no access token may do', async () => {
  const profile = await world.profile('Grace');
  const folder = await signedIn(profile.id);
  await world.rest('POST /posts', { body: { text: 'Of the account', connectionSlugs: [world.sandboxSlug] } });

  expect((await run(folder, ['whoami'])).stdout).toContain('through the browser (profile)');
  expect((await run(folder, ['posts', 'list', '--json'])).stdout).toContain('"posts": []');
  const { exitCode, stderr } = await run(folder, ['approve', '01a2008d-77e8-70cd-b094-aa362c7ab259']);
  expect([exitCode, stderr]).not.toEqual([0, '']);
});

it('renews tokens that expire, once, also when several commands run at the same time', async () => {
  const folder = await signedIn();
  const before = storedIn(folder);
  writeFileSync(fileIn(folder), JSON.stringify({ ...before, expiresAt: world.clock.now().getTime() + 1_000 }));

  // Those that wait for the first one to renew look a hundred times, which without sleep is over before the answer.
  const clock = { ...world.context.clock, sleep: systemClock.sleep };
  const runs = await Promise.all([1, 2, 3].map(() => run(folder, ['posts', 'list'], { io: { clock } })));

  expect(runs.map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual(runs.map(() => [0, '']));
  expect(storedIn(folder).refreshToken).not.toBe(before.refreshToken);
  expect((await run(folder, ['whoami'])).exitCode).toBe(0);
});

/** Does something when the install has renewed the tokens, before the command line reads its answer. */
function whenRenewed(happening: () => void): typeof globalThis.fetch {
  return async (input, init) => {
    const answer = await fetch(input, init);
    if (!String(input).endsWith('/oauth/token')) return answer;
    happening();
    init?.signal?.throwIfAborted();
    return answer;
  };
}

it('keeps the sign-in of a command that is interrupted while it renews the tokens', async () => {
  const folder = await signedIn();
  writeFileSync(fileIn(folder), JSON.stringify({ ...storedIn(folder), expiresAt: 0 }));
  const interrupted = new AbortController();

  const io = { signal: interrupted.signal, fetch: whenRenewed(() => interrupted.abort()) };
  const { exitCode } = await run(folder, ['posts', 'list'], { io });
  // From then on the install takes the old refresh token for a stolen one.
  world.clock.advance(11_000);

  expect([exitCode, (await run(folder, ['whoami'])).stderr]).toEqual([1, '']);
});

it('keeps the sign-in that a person makes while a command renews the tokens of the one before', async () => {
  const folder = await signedIn();
  writeFileSync(fileIn(folder), JSON.stringify({ ...storedIn(folder), expiresAt: 0 }));
  const other = { url: 'https://other.example', key: 'crl_live_other' };

  const io = { fetch: whenRenewed(() => writeFileSync(fileIn(folder), JSON.stringify(other))) };
  const { exitCode, stderr } = await run(folder, ['posts', 'list'], { io });

  expect([exitCode, stderr]).toEqual([4, expect.stringContaining(`You are no longer signed in to ${url}.`)]);
  expect(storedIn(folder)).toEqual(other);
});

it.each([
  ['it was revoked', {}],
  ['its client was removed, months after its last use', { clientId: 'removed' }],
])('says that the sign-in has ended when %s', async (_reason, changes) => {
  const folder = await signedIn();
  const stored = storedIn(folder);
  await run(folder, ['logout']);
  writeFileSync(fileIn(folder), JSON.stringify({ ...stored, expiresAt: 0, ...changes }));

  for (const command of ['posts list', 'export posts']) {
    const { exitCode, stderr } = await run(folder, command.split(' '));
    expect([exitCode, stderr]).toEqual([
      4,
      `The sign-in has ended: it was revoked, or not used for 90 days.\nRun: carillon login --url ${url}\n`,
    ]);
  }
});

const broken = () =>
  new ReadableStream({ pull: (controller) => controller.error(new TypeError('terminated')) }, { highWaterMark: 0 });

/** What the requests of a renewal meet while the install is away, by the reason that the command line gives. */
const OUTAGES: Record<string, typeof fetch> = {
  'fetch failed': () => Promise.reject(new TypeError('fetch failed')),
  terminated: async () => new Response(broken(), { headers: { 'content-type': 'application/json' } }),
  'HTTP 502': async () => new Response('<h1>Bad Gateway</h1>', { status: 502 }),
  'HTTP 429': async () => Response.json({ error: 'too many requests' }, { status: 429 }),
  'HTTP 503': (input, init) =>
    String(input).endsWith('/oauth/token')
      ? Promise.resolve(Response.json({ error: 'temporarily_unavailable' }, { status: 503 }))
      : fetch(input, init),
  'none within 25 s': fetch,
};

it.each(Object.entries(OUTAGES))(
  'ends with exit code 7 and keeps the sign-in when a renewal meets: %s',
  async (reason, request) => {
    const folder = await signedIn();
    const due = { ...storedIn(folder), expiresAt: 0 };
    writeFileSync(fileIn(folder), JSON.stringify(due));
    const late = () => AbortSignal.abort(new DOMException('The operation timed out.', 'TimeoutError'));
    const clock = { ...streamClock(world), ...(request === fetch ? { deadline: late } : {}) };

    for (const command of ['posts list', 'export posts', 'events']) {
      const { exitCode, stderr } = await run(folder, command.split(' '), { io: { clock, fetch: request } });
      expect([command, exitCode, stderr]).toEqual([
        command,
        7,
        `No answer from ${url}: ${reason}\nCheck the address with: carillon whoami\n`,
      ]);
    }
    // A post repeats the call, and was not sent by any of them.
    const { exitCode, stderr } = await run(folder, POST, { io: { clock, fetch: request } });
    expect([exitCode, stderr]).toEqual([7, expect.stringContaining('Check the address with: carillon whoami')]);
    expect(storedIn(folder)).toEqual(due);
    expect((await run(folder, ['posts', 'list'])).exitCode).toBe(0);
  },
);

it('ends with exit code 7 when another process renews the tokens and does not finish', async () => {
  const folder = await signedIn();
  writeFileSync(fileIn(folder), JSON.stringify({ ...storedIn(folder), expiresAt: 0 }));
  writeFileSync(`${fileIn(folder)}.lock`, String(world.clock.now().getTime()));

  for (const command of [['export', 'posts'], POST]) {
    const { exitCode, stderr } = await run(folder, command);
    expect([exitCode, stderr]).toEqual([
      7,
      expect.stringContaining(`No answer from ${url}: another process renews the sign-in and does not finish.`),
    ]);
  }
});

it('ends with exit code 7, because nothing was posted, when the install refuses a renewal for another reason', async () => {
  const folder = await signedIn();
  writeFileSync(fileIn(folder), JSON.stringify({ ...storedIn(folder), expiresAt: 0 }));
  const refusing: typeof fetch = (input, init) =>
    String(input).endsWith('/oauth/token')
      ? Promise.resolve(Response.json({ error: 'invalid_request' }, { status: 400 }))
      : fetch(input, init);

  const { exitCode, stdout } = await run(folder, POST, { io: { fetch: refusing } });

  expect([exitCode, stdout]).toEqual([7, '']);
});

it('follows events again after an outage in which the tokens became due', async () => {
  const folder = await signedIn();
  const stopping = new AbortController();
  const lost = new AbortController();
  const reports: string[] = [];
  const printed = Promise.withResolvers<void>();
  const outage = Object.values(OUTAGES).slice(0, -1);
  let isAway = false;
  const request: typeof fetch = (input, init) => {
    if (isAway) return (outage.shift() ?? fetch)(input, init);
    return fetch(input, { ...init, signal: AbortSignal.any([lost.signal, ...(init?.signal ? [init.signal] : [])]) });
  };
  const over = run(folder, ['events'], {
    io: { signal: stopping.signal, fetch: request, clock: streamClock(world) },
    onError: (text) => reports.push(text),
    onOutput: () => printed.resolve(),
  });
  await expect.poll(() => reports.length).toBe(1);

  writeFileSync(fileIn(folder), JSON.stringify({ ...storedIn(folder), expiresAt: 0 }));
  isAway = true;
  lost.abort();
  const { postId } = await makePost(world, world.sandboxSlug, { text: 'Meanwhile' });
  await Promise.race([over, printed.promise]);
  stopping.abort();

  expect(await over).toEqual({
    exitCode: 0,
    stdout: expect.stringContaining(` post.sent ${world.sandboxSlug} ${postId} Meanwhile\n`),
    stderr: [
      `Following the events of ${url}`,
      'The stream ended. Following again after the last event.',
      `Following the events of ${url}\n`,
    ].join('\n'),
  });
});

it('signs out, which ends the tokens at once', async () => {
  const folder = await signedIn();
  const { accessToken } = storedIn(folder);

  const { stdout } = await run(folder, ['logout']);

  expect(stdout).toBe(`You are signed out, and ${fileIn(folder)} is deleted.\n`);
  const headers = { authorization: `Bearer ${accessToken}` };
  expect((await world.rest('GET /posts', { key: null, headers })).status).toBe(401);
});

it('stores nothing when the person denies', async () => {
  const folder = temporaryFolder();

  const { exitCode, stderr } = await run(folder, ['login', '--url', url], { io: person({ button: 'Deny' }) });

  expect([exitCode, stderr]).toEqual([4, expect.stringContaining('The sign-in was denied in the browser.')]);
  expect((await run(folder, ['logout'])).stdout).toBe('No login was stored.\n');
});

it('names the address to use when another one leads to the install', async () => {
  const folder = temporaryFolder();

  const { exitCode, stderr } = await run(folder, ['login', '--url', `http://localhost:${port}`], { io: person() });

  expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`Run: carillon login --url ${url}`)]);
});
