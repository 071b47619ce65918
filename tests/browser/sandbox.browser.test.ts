/** The sandbox on the hosted page, in a real browser. */
import { describe, expect, it } from 'vitest';
import type { Customer } from './customer.ts';
import { BACK, expectGoodPage } from './page-checks.ts';
import { HAS_BROWSER, useStage, type WalkedLink } from './stage.ts';

const stage = useStage();

/** The address to which the customer is sent after the sandbox is connected. */
async function expectLanded(customer: Customer, link: WalkedLink): Promise<void> {
  const session = await link.read();
  expect(session).toMatchObject({ status: 'connected', error: null, connectionId: expect.any(String) });
  expect(customer.place()).toEqual([
    stage.redirectUrl.replace('?tab=2', ''),
    {
      tab: '2',
      connectSessionId: link.sessionId,
      connectionId: session.connectionId,
      profileId: link.profileId,
      slug: 'sandbox',
      platform: 'sandbox',
    },
  ]);
  expect(await customer.page.textContent('h1')).toBe('Back in the app');
}

describe.skipIf(!HAS_BROWSER)('the sandbox', () => {
  it.each([true, false])(
    'is picked and connected, and reported to the app of the customer (scripts: %s)',
    async (scripts) => {
      const link = await stage.link();
      const customer = await stage.customer({ scripts });

      await customer.open(link.url);
      await expectGoodPage(customer, { leadsTo: BACK, ...(scripts && { picture: 'pick' }) });
      await customer.press('Sandbox');
      await expectGoodPage(customer, { leadsTo: BACK, ...(scripts && { picture: 'sandbox' }) });
      await customer.follow('Choose another platform');
      await customer.press('Sandbox');
      await customer.press('Connect');

      await expectLanded(customer, link);
    },
  );

  it.each([false, true])('needs one click when the session names it (headless: %s)', async (headless) => {
    const link = await stage.link({ platform: 'sandbox', headless });
    const customer = await stage.customer();

    await customer.open(link.url);
    await expectGoodPage(customer, { leadsTo: BACK });
    await customer.press('Connect');

    await expectLanded(customer, link);
  });

  it('is connected without a mouse', async () => {
    const link = await stage.link({ platform: 'sandbox' });
    const customer = await stage.customer({ scripts: false });

    await customer.open(link.url);
    await customer.page.getByRole('button', { name: 'Connect' }).focus();
    await customer.page.keyboard.press('Enter');
    await customer.page.waitForURL(`${stage.redirectUrl}&**`);

    await expectLanded(customer, link);
  });
});
