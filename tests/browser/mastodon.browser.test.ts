/** Mastodon in a real browser, on the page of a real server that implements its API. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { snacScript } from '../peers/ensure-peers.ts';
import { type RealSnac, startSnac } from '../peers/real-servers.ts';
import { clickThrough, type Customer } from './customer.ts';
import { BACK, expectGoodPage } from './page-checks.ts';
import { HAS_BROWSER, useStage, type WalkedLink } from './stage.ts';

const stage = useStage();
const script = snacScript();

describe.skipIf(!HAS_BROWSER || script === undefined)('Mastodon', () => {
  let server: RealSnac;

  beforeAll(async () => {
    server = await startSnac(script ?? '');
  });

  afterAll(() => server?.stop());

  /** Opens a link and continues to the server's own page. */
  async function leave(customer: Customer, link: WalkedLink): Promise<void> {
    await customer.open(link.url);
    await customer.type({ Server: server.url });
    await customer.press('Connect');
    await customer.page.waitForURL(`${server.url}/oauth/authorize?**`);
  }

  /** Signs in on the server's page, whose fields have no labels. */
  async function agree({ page }: Customer, password = server.passwords['alice'] ?? ''): Promise<void> {
    await page.locator('input[name=login]').fill('alice');
    await page.locator('input[name=passwd]').fill(password);
    await clickThrough(page.getByRole('button', { name: 'OK' }));
  }

  /** The redirect address to which the server would send the customer, with our own answer. */
  function answerOf({ page }: Customer, answer: Readonly<Record<string, string>>): string {
    const asked = new URL(page.url()).searchParams;
    const query = new URLSearchParams({ state: asked.get('state') ?? '', ...answer });
    return `${asked.get('redirect_uri')}?${query.toString()}`;
  }

  const visitor = (scripts = true) => stage.customer({ scripts, peers: [server.url] });
  const leadsTo = () => [...BACK, 'http:'];

  it.each([true, false])('is allowed on the page of the server, and connected (scripts: %s)', async (scripts) => {
    const link = await stage.link({ platform: 'mastodon' });
    const customer = await visitor(scripts);

    await customer.open(link.url);
    await expectGoodPage(customer, { leadsTo: leadsTo(), ...(scripts && { picture: 'mastodon' }) });
    await customer.type({ Server: server.url });
    await customer.press('Connect');
    await customer.page.waitForURL(`${server.url}/oauth/authorize?**`);
    await agree(customer, 'wrong');
    await agree(customer);
    await customer.page.waitForURL(`${stage.redirectUrl}&**`);

    const { status, connectionId } = await link.read();
    expect(status).toBe('connected');
    expect(customer.place()[1]).toEqual({
      tab: '2',
      connectSessionId: link.sessionId,
      connectionId,
      profileId: link.profileId,
      slug: `mastodon-alice-${new URL(server.url).host.replace(/[.:]/g, '-')}`,
      platform: 'mastodon',
    });
  });

  it('is also picked from all platforms, and left with the back button for another', async () => {
    const link = await stage.link();
    const customer = await visitor();
    await customer.open(link.url);
    await customer.press('Mastodon');
    await customer.type({ Server: server.url });
    await customer.press('Connect');
    await customer.page.waitForURL(`${server.url}/oauth/authorize?**`);

    await customer.page.goBack();
    await customer.follow('Choose another platform');
    await customer.press('Sandbox');
    await customer.press('Connect');

    expect(customer.place()[1]).toMatchObject({ slug: 'sandbox', platform: 'sandbox' });
    expect(await link.read()).toMatchObject({ status: 'connected' });
  });

  it('is cancelled when the customer declines there', async () => {
    const link = await stage.link({ platform: 'mastodon' });
    const customer = await visitor();
    await leave(customer, link);

    await customer.open(answerOf(customer, { error: 'access_denied' }));

    expect(customer.place()[1]).toEqual({ tab: '2', connectSessionId: link.sessionId, error: 'cancelled' });
    expect(await link.read()).toMatchObject({ status: 'failed', error: 'cancelled' });
  });

  it('says why the server refused, and is connect_failed when the customer gives up then', async () => {
    const link = await stage.link({ platform: 'mastodon' });
    const customer = await visitor();
    await leave(customer, link);

    const refusal = { error: 'temporarily_unavailable', error_description: 'Closed for cleaning' };
    await customer.open(answerOf(customer, refusal));
    expect(customer.place()).toEqual([`${stage.publicUrl}/connect/session/${link.sessionId}`, {}]);
    expect(await customer.page.getByRole('alert').innerText()).toContain('Closed for cleaning');
    await expectGoodPage(customer, { leadsTo: leadsTo() });
    await customer.press('Cancel');

    expect(customer.place()[1]).toEqual({ tab: '2', connectSessionId: link.sessionId, error: 'connect_failed' });
  });

  it('says why an address is not a Mastodon server, and lets the customer correct it', async () => {
    const link = await stage.link({ platform: 'mastodon' });
    const customer = await visitor();

    await customer.open(link.url);
    await customer.type({ Server: stage.redirectUrl.replace('/connected?tab=2', '') });
    await customer.press('Connect');
    expect(await customer.page.getByRole('alert').innerText()).toContain('does not answer as a Mastodon server');
    await customer.type({ Server: server.url });
    await customer.press('Connect');
    await customer.page.waitForURL(`${server.url}/oauth/authorize?**`);
    await agree(customer);
    await customer.page.waitForURL(`${stage.redirectUrl}&**`);

    expect(await link.read()).toMatchObject({ status: 'connected' });
  });

  it('rejects an answer with a forged state, and accepts the true one afterwards', async () => {
    const link = await stage.link({ platform: 'mastodon' });
    const customer = await visitor();
    await leave(customer, link);
    const there = customer.page.url();

    const forged = answerOf(customer, { code: 'theirs', state: `${link.sessionId}.${'A'.repeat(43)}` });
    expect((await customer.open(forged)).status()).toBe(400);
    await expectGoodPage(customer, { leadsTo: BACK });
    expect(await link.read()).toMatchObject({ status: 'pending' });
    await customer.open(there);
    await agree(customer);
    await customer.page.waitForURL(`${stage.redirectUrl}&**`);

    expect(await link.read()).toMatchObject({ status: 'connected' });
  });

  it('rejects an answer in a browser that did not start the session', async () => {
    const link = await stage.link({ platform: 'mastodon' });
    const [customer, other] = [await visitor(), await visitor()];
    await leave(customer, link);

    const answer = await other.open(answerOf(customer, { code: 'theirs' }));

    expect(answer.status()).toBe(404);
    await expectGoodPage(other, { leadsTo: [] });
    expect(await link.read()).toMatchObject({ status: 'pending' });
  });
});
