/** The owner pages in a real browser: sign-in with and without scripts, and with a passkey. */
import { describe, expect, it } from 'vitest';
import { clickThrough, type Customer } from './customer.ts';
import { expectGoodPage } from './page-checks.ts';
import { pressLabel } from './press-label.ts';
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

  it('uses the console without a key on a phone: writes a post, sees it, and signs out', async () => {
    const customer = await stage.customer();
    const { page } = customer;
    const drawer = page.getByRole('dialog', { name: 'All views' });
    await customer.open(`${stage.publicUrl}/compose`);
    await customer.follow('Sign in');
    await customer.type({ Email: OWNER.email, Password: OWNER.password });
    await customer.press('Sign in');

    expect(path(customer)).toBe('/compose');
    const text = `Rung by ${OWNER.email}`;
    await page.getByLabel('Text', { exact: true }).fill(text);
    // Other tests have connected accounts of other platforms too.
    await pressLabel(page.getByRole('checkbox', { name: /^sandbox / }).first());
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('region', { name: 'Results' }).getByText('sent').first().waitFor();
    await page.getByRole('link', { name: 'Posts' }).click();
    await page.getByRole('article').filter({ hasText: text }).first().waitFor();
    expect(await page.evaluate('JSON.stringify([sessionStorage, localStorage])')).not.toContain('crl_');
    await page.getByRole('button', { name: 'More' }).click();
    await drawer.getByRole('link', { name: 'Activity' }).click();
    await page.getByRole('link', { name: 'posts.create', exact: true }).first().waitFor();
    await customer.open(`${stage.publicUrl}/`);
    await page.getByRole('button', { name: 'More' }).click();
    await clickThrough(drawer.getByRole('button', { name: 'Sign out' }));
    expect(path(customer)).toBe('/sign-in');
    await customer.open(`${stage.publicUrl}/`);
    await page.getByLabel('API key').waitFor();
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
