/** The owner pages in a real browser: sign-in with and without scripts, and with a passkey. */
import { describe, expect, it } from 'vitest';
import { clickThrough, type Customer } from './customer.ts';
import { expectAccessible, expectGoodPage } from './page-checks.ts';
import { LIVE_KEY } from '../crash/server-process.ts';
import { OWNER } from './shared-stage.ts';
import { HAS_BROWSER, useStage } from './stage.ts';

const stage = useStage();

/** Expected permissions of the page with the passkey script. */
const GOOD = {
  leadsTo: 'itself',
  also: {
    'script-src': "'self'",
    'connect-src': "'self'",
    'require-trusted-types-for': "'script'",
    'trusted-types': "'none'",
  },
} as const;

async function signIn(customer: Customer, password = OWNER.password): Promise<void> {
  await customer.open(`${stage.publicUrl}/owner`);
  await customer.type({ Email: OWNER.email, Password: password });
  await customer.press('Sign in');
}

/** The current path on the product. */
const path = (customer: Customer) => customer.place()[0].replace(stage.publicUrl, '');

describe.skipIf(!HAS_BROWSER)('the owner', () => {
  it.each([true, false])('signs in on the way to a page, and out again (scripts: %s)', async (scripts) => {
    const customer = await stage.customer({ scripts });

    await customer.open(`${stage.publicUrl}/owner`);
    expect(path(customer)).toBe('/sign-in');
    await expectGoodPage(customer, GOOD);
    await customer.type({ Email: OWNER.email, Password: 'wrong' });
    await customer.press('Sign in');
    await expectGoodPage(customer, GOOD);
    expect(await customer.page.getByRole('alert').first().textContent()).toBe('Email or password is wrong.');
    await customer.type({ Password: OWNER.password });
    await customer.press('Sign in');

    expect(path(customer)).toBe('/owner');
    await expectGoodPage(customer, GOOD);
    await customer.press('Sign out');
    expect(path(customer)).toBe('/sign-in');
    await customer.open(`${stage.publicUrl}/owner`);
    expect(path(customer)).toBe('/sign-in');
  });

  it('uses the console without a key: reads posts, writes one, and signs out', async () => {
    const customer = await stage.customer();
    const { page } = customer;
    await customer.open(`${stage.publicUrl}/`);
    await expectAccessible(page);
    await customer.follow('Sign in');
    await customer.type({ Email: OWNER.email, Password: OWNER.password });
    await customer.press('Sign in');

    expect(path(customer)).toBe('/');
    await page.getByRole('heading', { name: 'Console' }).waitFor();
    await expectAccessible(page);
    const text = `Rung by ${OWNER.email}`;
    await page.getByLabel('Text', { exact: true }).fill(text);
    // The oldest connection is the sandbox of the first start. Other tests have created newer ones.
    await page.getByRole('checkbox').last().check();
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('region', { name: 'Results' }).getByText('sent').first().waitFor();
    await page.reload();
    await page.getByRole('region', { name: 'Posts' }).getByText(text).first().waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    await customer.follow(OWNER.email);
    expect(path(customer)).toBe('/owner');
    await customer.follow('Activity');
    await expectGoodPage(customer, { leadsTo: 'itself' });
    expect(await page.getByText('posts.create', { exact: true }).first().isVisible()).toBe(true);
    await customer.open(`${stage.publicUrl}/`);
    await customer.press('Sign out');
    expect(path(customer)).toBe('/sign-in');
    await customer.open(`${stage.publicUrl}/`);
    expect(await page.getByLabel('API key').isVisible()).toBe(true);
  });

  it('needs no sign-in for the console with a key, which stays in the tab until it is forgotten', async () => {
    const customer = await stage.customer({ refusedAt: ['/trpc/connections.list', '/trpc/platforms.list'] });
    const { page } = customer;
    const open = page.getByRole('button', { name: 'Open the console' });
    await customer.open(`${stage.publicUrl}/`);
    await page.getByLabel('API key').fill(LIVE_KEY.replace(/.$/, '!'));
    await open.click();
    await page.getByRole('alert').getByText('The API key is missing, unknown or revoked.').waitFor();
    await page.getByLabel('API key').fill(LIVE_KEY);
    await open.click();
    await page.getByText(`Key ${LIVE_KEY.slice(0, 14)}…`).waitFor();
    await page.reload();
    await page.getByRole('region', { name: 'Posts' }).waitFor();

    await page.getByRole('button', { name: 'Forget key' }).click();

    await open.waitFor();
    expect(await page.getByLabel('API key').inputValue()).toBe('');
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });

  it('changes nothing when the browser has lost its cookies, and says what to do', async () => {
    const customer = await stage.customer();
    await customer.open(`${stage.publicUrl}/sign-in`);
    await customer.type({ Email: OWNER.email, Password: OWNER.password });
    await customer.page.context().clearCookies();

    await customer.press('Sign in');

    expect(customer.answer().status()).toBe(403);
    await expectGoodPage(customer, { leadsTo: 'itself' });
    await customer.follow('Open the page again');
    expect(path(customer)).toBe('/sign-in');
  });

  it('adds a passkey with the password, and signs in with it', async () => {
    const customer = await stage.customer({ refusedAt: ['/owner/passkeys/options'] });
    const { page } = customer;
    const devices = await page.context().newCDPSession(page);
    await devices.send('WebAuthn.enable');
    const options = {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
    } as const;
    await devices.send('WebAuthn.addVirtualAuthenticator', {
      options: { ...options, isUserVerified: true, automaticPresenceSimulation: true },
    });
    await signIn(customer);

    const passkeys = page.getByRole('region', { name: 'Passkeys' });
    await passkeys.getByLabel('Password', { exact: true }).fill('wrong');
    await passkeys.getByRole('button', { name: 'Add a passkey' }).click();
    await passkeys.getByText('The password is wrong.').waitFor();
    await passkeys.getByLabel('Password', { exact: true }).fill(OWNER.password);
    await clickThrough(passkeys.getByRole('button', { name: 'Add a passkey' }));
    expect(await page.getByRole('status').textContent()).toBe('The passkey is added.');
    await expectGoodPage(customer, GOOD);
    await customer.press('Sign out');
    await customer.press('Sign in with a passkey');

    expect(path(customer)).toBe('/owner');
    await customer.press('Remove');
    expect(await page.getByRole('status').textContent()).toContain('The passkey is removed.');
  });
});
