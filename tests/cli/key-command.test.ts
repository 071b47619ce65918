/**
 * `npm run carillon -- key`: account keys, created, listed and revoked by the operator
 * (docs/contract/profiles-and-keys.md#account-keys).
 */
import { expect, it } from 'vitest';
import { keyCommand } from '../../cli/key-command.ts';
import { makeAccount } from '../harness/accounts.ts';
import { UNKNOWN_ID } from '../harness/expected.ts';
import { freePort } from '../harness/free-port.ts';
import { OPERATOR } from '../harness/owner.ts';
import { startWorld } from '../harness/world.ts';
import { runCli } from './run-cli.ts';

const world = await startWorld({ env: { OPERATOR_TOKEN: OPERATOR } });
const run = (...args: string[]) => keyCommand(fetch, args, { PUBLIC_URL: world.url, OPERATOR_TOKEN: OPERATOR });
const [account] = await world.sql<{ id: string }>('select id from accounts');
const statusOf = async (key: string) => (await world.rest('GET /keys', { key })).status;

it('creates an account key and prints it once', async () => {
  const printed = await run('create', '--live', '--name', 'Server');
  const [secret = '', shown = ''] = printed.split('\n');

  expect(secret).toMatch(/^crl_live_[A-Za-z0-9]{40}$/);
  expect(shown).toMatch(/^Save it now: it is shown only once\. Its id is [0-9a-f-]{36}, for revoking it\.$/);
  expect(await statusOf(secret)).toBe(200);
  const listed = await run('list');
  expect(listed).toContain(
    `live  ${secret.slice(0, 14)}…  since 2026-11-21T12:00:00.000Z, last used 2026-11-21T12:00:00.000Z  Server\n`,
  );
  expect(listed).not.toContain(secret);
});

it('creates a test key, which reaches sandboxes only', async () => {
  const [secret = ''] = (await run('create', '--test')).split('\n');

  expect((await world.rest('GET /account', { key: secret })).status).toBe(403);
});

it('revokes a key, with or without the keys minted from it, and audits all of it', async () => {
  const profile = await world.profile();
  const mint = async (key: string) =>
    (await world.rest(`POST /profiles/${profile.id}/keys`, { key, body: { name: 'Customer', type: 'live' } })).body;
  const [secret = '', shown = ''] = (await run('create', '--live')).split('\n');
  const id = /id is (\S+),/.exec(shown)?.[1] ?? '';
  const customer = await mint(secret);

  expect(await run('revoke', id)).toBe(`The key ${id} is revoked.\n`);
  expect([await statusOf(secret), (await world.rest('GET /posts', { key: customer.secret })).status]).toEqual([
    401, 200,
  ]);
  expect(await run('revoke', id, '--with-minted')).toBe(`The key ${id} is revoked, with every key that it minted.\n`);
  expect((await world.rest('GET /posts', { key: customer.secret })).status).toBe(401);
  const { body } = await world.rest('GET /audit?actorKind=operator&limit=3');
  expect(
    body.entries.map(({ operation, object }: { operation: string; object: unknown }) => [operation, object]),
  ).toEqual([
    ['keys.revoke', { type: 'key', ids: [id] }],
    ['keys.revoke', { type: 'key', ids: [id] }],
    ['keys.create', { type: 'key', ids: [id] }],
  ]);
});

it('ends with the exit code of what went wrong, as other commands do', async () => {
  const free = `http://127.0.0.1:${await freePort()}`;
  const env = { PUBLIC_URL: world.url, OPERATOR_TOKEN: OPERATOR };
  const account = ['--account', UNKNOWN_ID];

  const codes = [
    (await runCli(world, ['key', 'list', '--url', free], { env })).exitCode,
    (await runCli(world, ['key', 'list'], { env: { ...env, OPERATOR_TOKEN: undefined, DATA_DIR: '/nowhere' } }))
      .exitCode,
    (await runCli(world, ['key', 'create', '--live', ...account], { env })).exitCode,
    (await runCli(world, ['key', 'create', '--live'], { env: { ...env, OPERATOR_TOKEN: 'x'.repeat(40) } })).exitCode,
  ];

  expect(codes).toEqual([7, 7, 5, 4]);
});

it('restores access to an account whose keys are lost', async () => {
  await using lost = await startWorld({ env: { OPERATOR_TOKEN: OPERATOR } });
  await lost.sql('update api_keys set revoked_at = created_at');
  const [secret = ''] = (
    await keyCommand(fetch, ['create', '--live'], { PUBLIC_URL: lost.url, OPERATOR_TOKEN: OPERATOR })
  ).split('\n');

  expect((await lost.rest('GET /posts', { key: secret })).status).toBe(200);
});

it('does not revoke the last live key of an account without an owner', async () => {
  const { id, key } = await makeAccount(world);
  const [only] = await world.sql<{ id: string }>('select id from api_keys where account_id = $1', [id]);

  await expect(run('revoke', only?.id ?? '', '--account', id)).rejects.toThrow(
    /last live key of an account that has no owner/,
  );
  expect(await statusOf(key)).toBe(200);
});

it.each<[string[], RegExp]>([
  [['create'], /--live or --test/],
  [['create', '--live', '--test'], /--live or --test/],
  [['list'], /several accounts/],
  [['revoke', 'x', '--account', account?.id ?? ''], /keyId: expected a UUID/],
  [['create', '--live', '--name', ' ', '--account', account?.id ?? ''], /name: expected/],
  [['list', '--account', '00000000-0000-7000-8000-000000000000', '--colour'], /colour/],
  [['create', '--live', '--account', '00000000-0000-7000-8000-000000000000'], /No account has the id/],
])('says what is wrong with %j', async (args, message) => {
  await expect(run(...args)).rejects.toThrow(message);
});
