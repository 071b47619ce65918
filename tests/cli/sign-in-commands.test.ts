/** `carillon login`, `logout` and `whoami`, and where a key may come from. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../cli/commands.ts';
import { consoleCalls } from '../harness/console-calls.ts';
import { OWNER_ENV, PASSWORD } from '../harness/owner.ts';
import { startWorld } from '../harness/world.ts';
import { runCli, temporaryFolder, type RunOptions } from './run-cli.ts';

const world = await startWorld({ env: OWNER_ENV });

/** Runs without a key in the environment. */
const run = (folder: string, args: string[], { env, ...options }: RunOptions = {}) =>
  runCli(world, args, {
    ...options,
    env: { XDG_CONFIG_HOME: folder, CARILLON_KEY: undefined, CARILLON_URL: undefined, ...env },
  });

it('stores the key of standard input where only the user can read it, and later commands use it', async () => {
  const folder = temporaryFolder();
  const file = path.join(folder, 'carillon', 'login.json');

  const login = await run(folder, ['login', '--url', world.url], { input: `${world.liveKey}\n` });

  expect(login).toEqual({
    exitCode: 0,
    stdout: `You are signed in to ${world.url}. The key is stored in ${file}.\n`,
    stderr: '',
  });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ url: world.url, key: world.liveKey });
  expect([statSync(file).mode & 0o777, statSync(path.dirname(file)).mode & 0o777]).toEqual([0o600, 0o700]);
  expect((await run(folder, ['whoami'])).stdout).toMatch(
    new RegExp(
      `^install +${world.url}\nkey +crl_live_LLLLL… \\(account\\)\naccount .*\nplan +unlimited\nposts today +0\n$`,
    ),
  );
});

it('asks for the key on a terminal, and stores nothing when it is wrong or left out', async () => {
  const folder = temporaryFolder();
  const asked: string[] = [];
  const login = (key: string | undefined) => {
    const askSecret = (question: string) => Promise.resolve((asked.push(question), key));
    return run(folder, ['login', '--key', '--url', world.url], { io: { askSecret } });
  };

  const [wrong, cancelled] = [await login('wrong'), await login(undefined)];

  expect([wrong.exitCode, wrong.stderr]).toEqual([
    4,
    expect.stringContaining('The API key is missing, unknown or revoked.'),
  ]);
  expect([cancelled.exitCode, asked[0]]).toEqual([2, `Key for ${world.url}`]);
  expect((await run(folder, ['whoami'])).exitCode).toBe(4);
  expect((await login(world.testKey)).exitCode).toBe(0);
  expect((await run(folder, ['whoami', '--json'])).stdout).toContain('"kind": "test"');
});

describe('whoami says what a key reaches', () => {
  const accountKey = async (...scopes: string[]) => {
    const call = await consoleCalls(world);
    const { body } = await call('people.createKey', { name: 'Account', type: 'live', scopes, password: PASSWORD });
    return body.secret as string;
  };
  const profileKey = async (fields: object) => {
    const { id } = await world.profile();
    const { body } = await world.rest(`POST /profiles/${id}/keys`, { body: { name: 'Profile', ...fields } });
    return body.secret as string;
  };

  it.each([
    ['the account', async () => world.liveKey, 'account'],
    ['the account, as a scope lets it ask', () => accountKey('account:read'), 'account'],
    ['a profile', () => profileKey({ type: 'live' }), 'profile'],
    ['something that it may not ask, of the account', () => accountKey('posts:write'), 'limited'],
    [
      'something that it may not ask, of a profile',
      () => profileKey({ type: 'live', scopes: ['posts:write'] }),
      'limited',
    ],
    ['the sandbox', () => profileKey({ type: 'test', scopes: ['posts:write'] }), 'test'],
  ])('%s', async (_reach, secret, kind) => {
    const folder = temporaryFolder();
    const key = await secret();
    const login = await run(folder, ['login', '--url', world.url], { input: key });

    const [shown, asJson] = [await run(folder, ['whoami']), await run(folder, ['whoami', '--json'])];

    expect([login.exitCode, shown.stdout.split(/\n/)[1]]).toEqual([
      0,
      expect.stringMatching(new RegExp(`^key +${key.slice(0, 14)}… \\(${kind}\\)$`)),
    ]);
    expect(JSON.parse(asJson.stdout)).toEqual({
      url: world.url,
      key: { prefix: key.slice(0, 14), kind },
      account: kind === 'account' ? (await world.rest('GET /account')).body.account : null,
    });
  });
});

it('deletes the login', async () => {
  const folder = temporaryFolder();
  await run(folder, ['login', '--url', world.url], { input: world.liveKey });

  expect((await run(folder, ['logout', '--json'])).stdout).toBe('{\n  "removed": true\n}\n');
  expect((await run(folder, ['whoami'])).stderr).toBe(
    'You are not signed in.\nRun: carillon login --url https://bells.example\n',
  );
  expect((await run(folder, ['logout'])).stdout).toBe('No login was stored.\n');
});

it('sends a stored key to no other install', async () => {
  const folder = temporaryFolder();
  await run(folder, ['login', '--url', world.url], { input: world.liveKey });
  const requests: unknown[] = [];
  const fetch = (url: unknown) => Promise.reject(new Error(String(requests.push(url))));

  const { exitCode, stderr } = await run(folder, ['posts', 'list'], {
    env: { CARILLON_URL: 'https://other.example' },
    io: { fetch: fetch as typeof globalThis.fetch },
  });

  expect([exitCode, requests]).toEqual([4, []]);
  expect(stderr).toContain('CARILLON_URL names https://other.example');
});

it('reports a damaged file, and an install that does not answer', async () => {
  const folder = temporaryFolder();
  await run(folder, ['login', '--url', world.url], { input: world.liveKey });
  writeFileSync(path.join(folder, 'carillon', 'login.json'), 'x');

  const damaged = await run(folder, ['whoami']);
  const silent = await run(folder, ['whoami'], { env: { CARILLON_URL: 'http://127.0.0.1:9', CARILLON_KEY: 'k' } });

  expect([damaged.exitCode, damaged.stderr]).toEqual([1, expect.stringContaining('is not a login.')]);
  expect([silent.exitCode, silent.stderr]).toEqual([7, expect.stringContaining('No answer from http://127.0.0.1:9')]);
});

it('has no option or operand that takes a key, a token, a secret or a password', () => {
  const taken = COMMANDS.flatMap(({ operands = [], options = [] }) => [
    ...operands,
    ...options.map(({ flags }) => flags),
  ]);

  // Neither an id nor the name of a file is a secret.
  expect(taken.filter((words) => /key|token|secret|password/i.test(words))).toEqual([
    // Takes no value: it makes login ask.
    '--key',
    '<key or grant id>',
    '--made-by-key <id>',
    '--secret-file <file>',
    '--secret-file <file>',
    '<key id>',
    '--keys <file>',
  ]);
});
