/** `npm run carillon -- account …`: the settings that the operator changes over HTTP with the operator token. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { accountCommand } from '../../cli/account-command.ts';
import { makeAccount } from '../harness/accounts.ts';
import { startWorld } from '../harness/world.ts';

const TOKEN = 'operator-token-of-at-least-32-characters';
const world = await startWorld({ env: { OPERATOR_TOKEN: TOKEN, MESSAGES_PER_DAY: '7' } });
const [{ id }] = (await world.sql<{ id: string }>('select id from accounts')) as [{ id: string }];
const folder = mkdtempSync(join(tmpdir(), 'carillon-cli-'));
afterAll(() => rmSync(folder, { recursive: true }));

const run = (...args: string[]) => accountCommand(fetch, args, { PUBLIC_URL: world.url, OPERATOR_TOKEN: TOKEN });

describe('account set', () => {
  it('sets plan, payment method and cap of the only account, and prints it', async () => {
    const printed = await run('set', '--plan', 'free', '--payment-method', 'yes', '--x-spend-cap-cents', '500');

    expect(printed).toBe(
      `account ${id}\n  plan                free\n  payment method      yes\n  X spend this month  0 of 500 cents\n  posts today         0 of 100\n  messages today      0 of 7\n  active connections  0 of 2\n`,
    );
    const { body } = await world.rest('GET /account');
    expect(body.account).toMatchObject({ plan: 'free', hasPaymentMethod: true, xSpendCapCents: 500 });
  });

  it('changes only the given settings, and removes a cap', async () => {
    await run('set', id, '--x-spend-cap-cents', 'none');

    const { body } = await world.rest('GET /account');
    expect(body.account).toMatchObject({ plan: 'free', hasPaymentMethod: true, xSpendCapCents: null });
  });

  it('sets the cap on messages, removes it, and restores the default of the install', async () => {
    const capOf = async (messages: string) => {
      await run('set', id, '--messages', messages);
      return (await world.rest('GET /account')).body.account.caps.messagesPerDay;
    };

    expect([await capOf('50'), await capOf('none'), await capOf('default')]).toEqual([50, null, 7]);
  });

  it('finds the token that the server stores in DATA_DIR', async () => {
    writeFileSync(join(folder, 'operator.token'), `${TOKEN}\n`);

    const printed = await accountCommand(fetch, ['set', '--plan', 'pro'], { PUBLIC_URL: world.url, DATA_DIR: folder });

    expect(printed).toContain('plan                pro');
  });

  it.each<[string[], RegExp]>([
    [['set'], /Name at least one of --plan/],
    [['set', '--payment-method', 'maybe'], /--payment-method is yes or no, not "maybe"/],
    [['set', '--x-spend-cap-cents', '1.5'], /whole number of cents or none, not "1.5"/],
    [['set', '--messages', 'many'], /whole number of messages a day, none or default, not "many"/],
    [['set', '--plan', 'gold'], /plan: expected one of free, pro, unlimited/],
    [['set', '00000000-0000-7000-8000-000000000000', '--plan', 'pro'], /No account has the id/],
    [['set', 'first', '--plan', 'pro'], /accountId: expected a UUID/],
    [['set', '--colour', 'red'], /colour/],
  ])('refuses %j with a message', async (args, message) => {
    await expect(run(...args)).rejects.toThrow(message);
  });
});

describe('account list', () => {
  it('prints every account, and then set requires the account', async () => {
    const other = await makeAccount(world);

    const printed = await run('list');

    expect(printed.match(/^account .*/gm)).toEqual([`account ${id}`, `account ${other.id}`]);
    await expect(run('set', '--plan', 'pro')).rejects.toThrow(/several accounts/);
  });
});

describe('without the token', () => {
  it.each<[string, Record<string, string>]>([
    ['a wrong one', { OPERATOR_TOKEN: `${TOKEN.slice(0, -1)}!` }],
    ['an API key', { OPERATOR_TOKEN: world.liveKey }],
  ])('reads and changes nothing: %s', async (_case, env) => {
    const call = accountCommand(fetch, ['list'], { PUBLIC_URL: world.url, ...env });

    await expect(call).rejects.toThrow("The operator's token is missing or wrong.");
  });

  it('says where to find the token', async () => {
    const call = accountCommand(fetch, ['list'], { PUBLIC_URL: world.url, DATA_DIR: join(folder, 'nowhere') });

    await expect(call).rejects.toThrow(/There is no operator's token in .*nowhere/);
  });

  it('says that a token is there which this user may not read', async () => {
    // Root may read every file, but no folder as a file.
    const unreadable = join(folder, 'unreadable');
    mkdirSync(join(unreadable, 'operator.token'), { recursive: true });

    const call = accountCommand(fetch, ['list'], { PUBLIC_URL: world.url, DATA_DIR: unreadable });

    await expect(call).rejects.toThrow(
      /^The operator's token in .*unreadable cannot be read \(EISDIR\)\. Run this as the/,
    );
  });

  it('the endpoints do not exist when the server has no token', async () => {
    await using unconfigured = await startWorld();

    const response = await fetch(`${unconfigured.url}/operator/accounts`, { headers: { authorization: 'Bearer x' } });

    expect(response.status).toBe(404);
  });
});

describe('a server that is not running', () => {
  it('is reported with its address', async () => {
    const call = accountCommand(fetch, ['list', '--url', 'http://127.0.0.1:9'], { OPERATOR_TOKEN: TOKEN });

    await expect(call).rejects.toThrow('No server answers at http://127.0.0.1:9. Is it running?');
  });
});
