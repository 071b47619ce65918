/** `npm run carillon -- owner link`: a link that creates the owner, or resets a lost password. */
import { expect, it } from 'vitest';
import { ownerCommand } from '../../cli/owner-command.ts';
import { makeAccount } from '../harness/accounts.ts';
import { openBrowser } from '../harness/browser.ts';
import { EMAIL, OPERATOR, OWNER_ENV, PASSWORD, signedInBrowser } from '../harness/owner.ts';
import { PUBLIC_URL, startWorld } from '../harness/world.ts';

const world = await startWorld({ env: OWNER_ENV });
const [{ id }] = (await world.sql<{ id: string }>('select id from accounts')) as [{ id: string }];

const run = (...args: string[]) => ownerCommand(fetch, args, { PUBLIC_URL: world.url, OPERATOR_TOKEN: OPERATOR });
const pathIn = (printed: string) => new URL(printed.split('\n')[0] ?? '').pathname;

it('prints a link for the only account, and when it expires', async () => {
  const printed = await run('link');

  const until = new Date(world.clock.now().getTime() + 3_600_000).toISOString();
  expect(printed.startsWith(`${PUBLIC_URL}/set-up/`)).toBe(true);
  expect(printed).toMatch(/^\S+\/set-up\/[\w-]{43}\nIt works once, until /);
  expect(printed.split('\n')[1]).toBe(`It works once, until ${until}. Earlier links no longer work.`);
  expect((await openBrowser(world).get(pathIn(printed))).status).toBe(200);
});

it('invalidates the links created before it', async () => {
  const before = pathIn(await run('link'));
  const after = pathIn(await run('link', id));

  const browser = openBrowser(world);
  expect([(await browser.get(before)).status, (await browser.get(after)).status]).toEqual([410, 200]);
});

it('resets a lost password: only the new one signs in, and every browser is signed out', async () => {
  const elsewhere = await signedInBrowser(world);
  const browser = openBrowser(world);
  const page = await browser.get(pathIn(await run('link')));

  const answer = await browser.press(page, 'Save', { Password: 'eight bells at noon' });

  expect(page.text).toContain(`value="${EMAIL}"`);
  expect([answer.status, answer.location]).toEqual([303, '/owner']);
  expect((await browser.get('/owner')).status).toBe(200);
  expect((await elsewhere.get('/owner')).status).toBe(303);
  const signIn = async (password: string) => {
    const other = openBrowser(world);
    return (await other.press(await other.get('/sign-in'), 'Sign in', { Email: EMAIL, Password: password })).status;
  };
  expect([await signIn(PASSWORD), await signIn('eight bells at noon')]).toEqual([401, 303]);
});

it('requires the account when there are several, and creates its owner', async () => {
  const other = await makeAccount(world);
  await expect(run('link')).rejects.toThrow(/several accounts/);

  const browser = openBrowser(world);
  const path = pathIn(await run('link', other.id));
  const form = await browser.get(path);
  const taken = await browser.press(form, 'Set up', { Email: EMAIL, Password: 'eight bells at noon' });
  const done = await browser.press(form, 'Set up', { Email: 'other@bells.example', Password: 'eight bells at noon' });

  expect(taken.status).toBe(400);
  expect(taken.text).toContain('Another person on this install signs in with this address.');
  expect(done.status).toBe(303);
  expect(await world.sql('select account_id, email from owners order by email')).toEqual([
    { account_id: other.id, email: 'other@bells.example' },
    { account_id: id, email: EMAIL },
  ]);
});

it.each<[string[], RegExp]>([
  [[], /^$/],
  [['unlink'], /^$/],
  [['link', 'one', 'two'], /^$/],
  [['link', '--colour', 'red'], /colour/],
  [['link', 'first'], /accountId: expected a UUID/],
  [['link', '00000000-0000-7000-8000-000000000000'], /No account has the id/],
])('refuses %j', async (args, message) => {
  await expect(run(...args)).rejects.toThrow(message);
});

it('requires the operator token', async () => {
  const call = ownerCommand(fetch, ['link', id], { PUBLIC_URL: world.url, OPERATOR_TOKEN: world.liveKey });

  await expect(call).rejects.toThrow("The operator's token is missing or wrong.");
});
