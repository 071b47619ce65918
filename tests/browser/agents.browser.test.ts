/** The page that grants an agent access, and the page that revokes it, in a real browser. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Customer } from './customer.ts';
import { expectGoodPage } from './page-checks.ts';
import { keepScreenshot } from './screenshots.ts';
import { OWNER } from './shared-stage.ts';
import { HAS_BROWSER, useStage } from './stage.ts';

const stage = useStage();

const VERIFIER = 'v'.repeat(43);

/** The address to which a new client of the app sends its user. */
async function askedBy(name: string, redirect = stage.redirectUrl): Promise<string> {
  const response = await fetch(`${stage.publicUrl}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: name, redirect_uris: [redirect] }),
  });
  const { client_id: clientId } = (await response.json()) as { client_id: string };
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirect,
    response_type: 'code',
    state: 'walk',
    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    code_challenge_method: 'S256',
  });
  return `${stage.publicUrl}/oauth/authorize?${query.toString()}`;
}

async function openConsent(customer: Customer, name: string): Promise<void> {
  await customer.open(await askedBy(name));
  await customer.type({ Email: OWNER.email, Password: OWNER.password });
  await customer.press('Sign in');
}

describe.skipIf(!HAS_BROWSER)('an agent', () => {
  it.each([true, false])('is allowed, and redirects to its client (scripts: %s)', async (scripts) => {
    const customer = await stage.customer({ scripts });
    const name = `Walking agent ${scripts ? 'with' : 'without'} scripts`;
    await openConsent(customer, name);
    await expectGoodPage(customer, { leadsTo: ['http:', 'https:'] });
    await customer.page.getByLabel('What it reaches').selectOption('Test mode only');
    await customer.press('Allow');

    const [address, query] = customer.place();
    expect(stage.redirectUrl.startsWith(address)).toBe(true);
    expect(query).toMatchObject({ state: 'walk', iss: stage.publicUrl, code: expect.any(String) });

    await customer.open(`${stage.publicUrl}/owner/agents`);
    await expectGoodPage(customer, { leadsTo: 'itself' });
    expect(await customer.page.getByRole('heading', { name }).count()).toBe(1);
    while ((await customer.page.getByRole('button', { name: 'Revoke' }).count()) > 0) {
      await customer.page.getByRole('button', { name: 'Revoke' }).first().click();
      await customer.page.waitForLoadState();
    }
    expect(await customer.page.getByText('No program may act for you.').count()).toBe(1);
    await expectGoodPage(customer, { leadsTo: 'itself' });
  });

  it('asks on a page that names its host, its reach and whether it asks first', async () => {
    const customer = await stage.customer();
    await customer.open(await askedBy('Claude', 'https://claude.ai/api/mcp/auth_callback'));
    await keepScreenshot(customer.page, 'sign-in', 'agents');
    await customer.type({ Email: OWNER.email, Password: OWNER.password });
    await customer.press('Sign in');
    await keepScreenshot(customer.page, 'consent', 'agents');

    const words = await customer.page.getByRole('main').innerText();
    expect(words).toContain('claude.ai');
    expect(await customer.page.getByLabel('Ask me before anything goes out').isChecked()).toBe(true);
  });

  it('is stopped, let go on and revoked beside its name in the console', async () => {
    const customer = await stage.customer();
    await openConsent(customer, 'Bell agent');
    await customer.press('Allow');
    await customer.open(`${stage.publicUrl}/agents`);
    await customer.page.getByRole('link', { name: 'Policy of Bell agent' }).waitFor();
    await customer.page.getByRole('button', { name: 'Stop Bell agent' }).click();
    await customer.page.getByText('Bell agent is stopped').first().waitFor();
    await customer.page.getByRole('button', { name: 'Undo' }).click();
    await customer.page.getByText('Bell agent may send again.').first().waitFor();
    await customer.page.getByRole('button', { name: 'Revoke Bell agent' }).click();
    await customer.page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
    await customer.page.getByText('No program may act for you').waitFor();
  });

  it('is denied, and its client receives the denial', async () => {
    const customer = await stage.customer();
    await openConsent(customer, 'Unwanted agent');
    await customer.press('Deny');

    expect(customer.place()[1]).toMatchObject({ error: 'access_denied', state: 'walk' });
  });
});
