/** A connect link in real browsers: who may open it, how a customer leaves it, and when it ends. */
import { describe, expect, it } from 'vitest';
import { BACK, expectGoodPage } from './page-checks.ts';
import { HAS_BROWSER, useStage } from './stage.ts';

const stage = useStage();

describe.skipIf(!HAS_BROWSER)('a link', () => {
  it.each([
    ['the choice of platforms', {}, null],
    ['the form of a platform that was picked', {}, 'Bluesky'],
    ['the form of the platform of the session', { platform: 'mastodon' }, null],
  ])('is cancelled on %s', async (_step, fields, pick) => {
    const link = await stage.link(fields);
    const customer = await stage.customer({ scripts: false });

    await customer.open(link.url);
    if (pick !== null) await customer.press(pick);
    await customer.press('Cancel');

    const cancelled = { tab: '2', connectSessionId: link.sessionId, error: 'cancelled' };
    expect(customer.place()).toEqual([stage.redirectUrl.replace('?tab=2', ''), cancelled]);
    expect(await link.read()).toMatchObject({ status: 'failed', error: 'cancelled', connectionId: null });
  });

  it('belongs to the first browser: another one is told that the link was used', async () => {
    const link = await stage.link({ platform: 'sandbox' });
    const [first, second] = [await stage.customer(), await stage.customer()];
    await first.open(link.url);

    const answer = await second.open(link.url);

    expect(answer.status()).toBe(410);
    expect(await second.page.textContent('h1')).toBe('Used already');
    await expectGoodPage(second, { leadsTo: [], picture: 'used' });
    await first.page.reload();
    await first.press('Connect');
    expect(await link.read()).toMatchObject({ status: 'connected' });
  });

  it('shows the way back, and creates nothing more, once it is complete', async () => {
    const link = await stage.link({ platform: 'sandbox' });
    const customer = await stage.customer();
    await customer.open(link.url);
    await customer.press('Connect');
    const landed = customer.place();
    const { connectionId } = await link.read();

    const answer = await customer.open(link.url);
    expect(answer.status()).toBe(410);
    await expectGoodPage(customer, { leadsTo: BACK, picture: 'done' });
    await customer.follow('Go back to where you came from');

    expect(customer.place()).toEqual(landed);
    expect((await link.read()).connectionId).toBe(connectionId);
  });

  it('keeps its outcome when the customer goes back and presses again', async () => {
    const link = await stage.link({ platform: 'sandbox' });
    const customer = await stage.customer();
    await customer.open(link.url);
    await customer.press('Cancel');

    await customer.page.goBack();
    // The page is not cached, so the browser requests it again.
    expect(await customer.page.textContent('h1')).toBe('Done');

    expect(await link.read()).toMatchObject({ status: 'failed', error: 'cancelled' });
  });

  it('is not used up by HEAD', async () => {
    const link = await stage.link({ platform: 'sandbox' });
    const customer = await stage.customer();

    const head = await fetch(link.url, { method: 'HEAD' });
    const answer = await customer.open(link.url);

    expect([head.status, answer.status()]).toEqual([200, 200]);
  });

  it('works beside a second one in the same browser', async () => {
    const [one, other] = [await stage.link({ platform: 'sandbox' }), await stage.link({ platform: 'sandbox' })];
    const customer = await stage.customer();
    await customer.open(one.url);
    await customer.open(other.url);

    await customer.press('Connect');
    expect(await one.read()).toMatchObject({ status: 'pending' });
    await customer.open(one.url);
    await customer.press('Cancel');

    expect(await other.read()).toMatchObject({ status: 'connected' });
    expect(await one.read()).toMatchObject({ status: 'failed', error: 'cancelled' });
  });

  it('expires after fifteen minutes, on every page', async () => {
    const [opened, unopened] = [await stage.link({ platform: 'sandbox' }), await stage.link()];
    const [customer, late] = [await stage.customer(), await stage.customer()];
    await customer.open(opened.url);

    await stage.product.rest('POST /simulation/clock', { body: { advanceSeconds: 15 * 60 } });
    await customer.press('Connect');
    const answer = await late.open(unopened.url);

    expect([customer.answer().status(), answer.status()]).toEqual([410, 410]);
    expect(await customer.page.textContent('h1')).toBe('Too late');
    await expectGoodPage(customer, { leadsTo: [] });
    await expectGoodPage(late, { leadsTo: [], picture: 'expired' });
    expect(await opened.read()).toMatchObject({ status: 'expired', error: null, connectionId: null });
  });

  it('that does not exist leads nowhere', async () => {
    const customer = await stage.customer();

    const answer = await customer.open(`${stage.publicUrl}/connect/${'a'.repeat(43)}`);

    expect(answer.status()).toBe(404);
    await expectGoodPage(customer, { leadsTo: [] });
  });
});
