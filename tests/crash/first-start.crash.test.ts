/** The first start and later ones: what each prints, and how often (docs/contract/running.md#roles). */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createSeededRandom } from '../harness/seeded-random.ts';
import { createTestClock } from '../harness/test-clock.ts';
import { emptyInstall, ENGINE, freePort, newInstall, type ServerProcess } from './server-process.ts';
import { LIVE_KEY } from './install.ts';
import { waitUntil } from './wait-until.ts';

/** No key in the environment: the first start creates one. */
const OWN_KEY = { BOOTSTRAP_LIVE_KEY: '' };

/** The key that a process printed; undefined when it printed none. */
function printedKey(server: ServerProcess): string | undefined {
  return /^ {2}Live key {2}(crl_live_[A-Za-z0-9]{32,})$/m.exec(server.stdout())?.[1];
}

/** The path of the printed link that creates the owner; undefined when the process printed none. */
function printedLink(server: ServerProcess): `/${string}` | undefined {
  const secret = /^ {2}http:\/\/localhost:\d+\/set-up\/([\w-]{43})$/m.exec(server.stdout())?.[1];
  return secret === undefined ? undefined : `/set-up/${secret}`;
}

/** The command that a process printed, as a user copies it; undefined when it printed none. */
function printedCommand(server: ServerProcess): string | undefined {
  return /^ {2}curl [^]*?\}'$/m.exec(server.stdout())?.[0];
}

async function runInShell(command: string | undefined, env: Record<string, string> = {}): Promise<unknown> {
  const { stdout } = await promisify(execFile)('sh', ['-c', command ?? 'exit 9'], { env: { ...process.env, ...env } });
  return JSON.parse(stdout);
}

const SENT = {
  results: [
    {
      connectionSlug: 'sandbox',
      status: 'sent',
      postId: expect.any(String) as string,
      url: expect.stringContaining('/sandbox/') as string,
      scheduledFor: null,
      threadCount: 0,
      hasFirstComment: false,
      error: null,
    },
  ],
};

describe(`on ${ENGINE}`, () => {
  it('prints the live key once, and a command that publishes when run unchanged', async () => {
    const install = await emptyInstall(OWN_KEY);
    const first = await install.start();
    const key = printedKey(first) ?? '';

    expect(await runInShell(printedCommand(first))).toEqual(SENT);

    expect(first.stdout().split(key)).toHaveLength(3);
    expect(first.stderr()).toBe('');
    await first.stop();
    const second = await install.start();
    expect(second.stdout()).toContain('is ready');
    expect(second.stdout()).not.toContain('crl_live_');
    expect(printedCommand(second)).toBeUndefined();
    expect((await second.rest('GET /posts', { key })).body.posts).toHaveLength(1);
  });

  it('prints the command with the name of a key from the environment, and no key', async () => {
    const install = await newInstall();
    const first = await install.start();

    expect(await runInShell(printedCommand(first), { BOOTSTRAP_LIVE_KEY: LIVE_KEY })).toEqual(SENT);

    expect(first.stdout()).not.toContain('crl_live_');
  });

  it('prints a link for the owner while there is none, and keeps it out of the log', async () => {
    const install = await newInstall();
    const first = await install.start();
    const early = printedLink(first) ?? '/';
    expect((await first.get(early)).status).toBe(200);
    await first.stop();

    const second = await install.start();

    const late = printedLink(second) ?? '/';
    expect(late).not.toBe(early);
    const answers = await Promise.all([early, late].map((path) => second.get(path)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(JSON.stringify([...first.log(), ...second.log()])).not.toContain(early.slice('/set-up/'.length));
  });

  it('creates the owner that the environment names, and does not change them later', async () => {
    const install = await newInstall({
      OWNER_EMAIL: 'Owner@Bells.example',
      OWNER_PASSWORD: 'four bells at midnight',
    });
    const first = await install.start();
    await first.stop();
    const rows = () => install.sql('select email, password_hash from owners');
    const made = await rows();

    const second = await install.start({ OWNER_EMAIL: 'other@bells.example', OWNER_PASSWORD: 'another password' });
    await second.stop();

    expect(made).toEqual([
      { email: 'owner@bells.example', password_hash: expect.stringMatching(/^\$argon2id\$v=19\$/) },
    ]);
    expect(await rows()).toEqual(made);
    expect([printedLink(first), printedLink(second)]).toEqual([undefined, undefined]);
    expect(first.stdout() + second.stdout()).not.toMatch(/bells at midnight|bells\.example/i);
  });

  it('starts after being killed at any instant of the first start, and always prints a key that works', async () => {
    const random = createSeededRandom('first start', createTestClock());
    for (let kill = 0; kill < 4; kill += 1) {
      const install = await emptyInstall(OWN_KEY);
      const first = install.launch();
      const killAt = performance.now() + 300 + (random.bytes(2).readUInt16BE() % 2_500);
      await waitUntil('a random instant', () => performance.now() >= killAt);
      await first.kill9();

      const second = await install.start();

      const keys = [printedKey(first), printedKey(second)].filter((key) => key !== undefined);
      const answers = await Promise.all(keys.map((key) => second.rest('GET /connections', { key })));
      expect(answers.map(({ status }) => status)).toContain(200);
      expect(answers.at(-1)?.body.connections).toMatchObject([{ slug: 'sandbox' }]);
      await second.stop();
    }
  });
});

describe.runIf(ENGINE === 'pglite')('a second server on the same DATA_DIR', () => {
  it('is refused in one line, and the first keeps serving', async () => {
    const install = await newInstall();
    const first = await install.start();

    const second = install.launch({ PORT: String(await freePort()) });

    expect(await second.ended()).toMatchObject({ code: 1, signal: null });
    expect(second.stderr()).toBe(
      `carillon: DATA_DIR ${install.dataDir} is in use by another Carillon server (process ${first.child.pid}). ` +
        'Stop it first, set another DATA_DIR, or use PostgreSQL (DATABASE_URL) to run several.\n',
    );
    expect(second.stdout()).toBe('');
    expect((await first.rest('GET /connections')).body.connections).toHaveLength(1);
    await first.kill9();
    const third = await install.start();
    expect((await third.rest('GET /connections')).body.connections).toHaveLength(1);
  });
});

describe.runIf(ENGINE === 'postgres')('on PostgreSQL', () => {
  it('leaves the first key to a process that prints it: a worker that starts first creates none', async () => {
    const install = await emptyInstall(OWN_KEY);
    const worker = await install.start({ ROLE: 'worker', PORT: String(await freePort()) });
    expect(worker.stdout()).not.toContain('crl_live_');
    expect(printedLink(worker)).toBeUndefined();

    const web = await install.start({ ROLE: 'web' });

    expect(await runInShell(printedCommand(web))).toEqual(SENT);
  });

  it('creates one first account when three processes start at once, and prints one key', async () => {
    const install = await emptyInstall(OWN_KEY);
    const ports = [install.port, await freePort(), await freePort()];

    const servers = await Promise.all(ports.map((port) => install.start({ PORT: String(port) })));

    const keys = servers.map(printedKey).filter((key) => key !== undefined);
    expect(keys).toHaveLength(1);
    const [answer] = await Promise.all(
      servers.map((server) => server.rest('GET /connections', { key: keys[0] ?? '' })),
    );
    expect(answer?.body.connections).toHaveLength(1);
  });
});
