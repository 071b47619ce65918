/** Bluesky OAuth on the page of the account's own server, in a real browser against a real PDS. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { peerScript } from '../peers/ensure-peers.ts';
import { openOnPds, PDS_PASSWORD, type PeerAccount } from '../peers/peer-accounts.ts';
import type { Customer } from './customer.ts';
import { keepScreenshot } from './screenshots.ts';
import { HAS_BROWSER, useStage, type WalkedLink } from './stage.ts';

const stage = useStage();
const script = peerScript('bluesky/start-pds.mjs');

const HOUR_SECONDS = 3_600;

describe.skipIf(!HAS_BROWSER || script === undefined)('the page of a Bluesky account’s server', () => {
  let account: PeerAccount;
  let server = '';

  beforeAll(async () => {
    account = await openOnPds(script ?? '', stage.plcPort);
    server = account.credentials['service'] ?? '';
  });

  afterAll(() => account?.stop());

  const visitor = (scripts = true) =>
    stage.customer({ scripts, peers: [server, stage.publicUrl.replace('localhost', '127.0.0.1')] });

  /** Opens a link and continues to the server's own page. */
  async function leave(customer: Customer, link: WalkedLink): Promise<void> {
    await customer.open(link.url);
    await customer.type({ 'Server of your account': server });
    await customer.press('Continue to your server');
    await customer.page.waitForURL(`${server}/oauth/authorize?**`);
  }

  /** Signs in on the server's page, which then asks for consent. */
  async function signIn({ page }: Customer, picture = false): Promise<void> {
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Username or Email').fill(account.credentials['identifier'] ?? '');
    await page.getByRole('textbox', { name: 'Password' }).fill(PDS_PASSWORD);
    if (picture) await keepScreenshot(page, 'bluesky-sign-in');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Authorize' }).waitFor();
    if (picture) await keepScreenshot(page, 'bluesky-consent');
  }

  async function agree(customer: Customer, picture = false): Promise<void> {
    await signIn(customer, picture);
    await customer.page.getByRole('button', { name: 'Authorize' }).click();
    await customer.page.waitForURL(`${stage.redirectUrl}&**`);
  }

  it('connects an account that posts and deletes, and whose tokens are refreshed hour after hour', async () => {
    const link = await stage.link({ platform: 'bluesky' });
    const customer = await visitor();

    await leave(customer, link);
    await agree(customer, true);

    const { status, connectionId } = await link.read();
    expect(status).toBe('connected');
    expect(customer.place()[1]).toEqual({
      tab: '2',
      connectSessionId: link.sessionId,
      connectionId,
      profileId: link.profileId,
      slug: 'bluesky-alice-test',
      platform: 'bluesky',
    });
    const postIds: string[] = [];
    for (const text of ['at once', 'an hour later', 'two hours later']) {
      const { body } = await stage.product.rest('POST /posts', {
        body: { text, connectionSlugs: ['bluesky-alice-test'], profileId: link.profileId },
      });
      expect(body.results[0]).toMatchObject({ status: 'sent', error: null });
      postIds.push(body.results[0].postId);
      await stage.product.rest('POST /simulation/clock', { body: { advanceSeconds: HOUR_SECONDS } });
      const { connection } = (await stage.product.rest(`GET /connections/${connectionId}`)).body;
      expect(connection.reconnectRequired).toBeNull();
    }
    expect(await account.texts()).toEqual(['an hour later', 'at once', 'two hours later']);
    for (const postId of postIds) await stage.product.rest(`DELETE /posts/${postId}`);
    expect(await account.texts()).toEqual([]);
  });

  it('cancels the session when the customer declines', async () => {
    const link = await stage.link({ platform: 'bluesky' });
    const customer = await visitor();
    await leave(customer, link);
    await signIn(customer);

    await customer.page.getByRole('button', { name: 'Deny access' }).click();
    await customer.page.waitForURL(`${stage.redirectUrl}&**`);

    expect(customer.place()[1]).toEqual({ tab: '2', connectSessionId: link.sessionId, error: 'cancelled' });
    expect(await link.read()).toMatchObject({ status: 'failed', error: 'cancelled', connectionId: null });
  });

  it('rejects a forged state, and completes afterwards', async () => {
    const link = await stage.link({ platform: 'bluesky' });
    const customer = await visitor();
    await leave(customer, link);
    const there = customer.page.url();

    const query = new URLSearchParams({ code: 'theirs', state: `${link.sessionId}.${'A'.repeat(43)}`, iss: server });
    const answer = await customer.open(`${stage.publicUrl}/connect/callback/bluesky?${query.toString()}`);

    expect(answer.status()).toBe(400);
    expect(await link.read()).toMatchObject({ status: 'pending' });
    await customer.open(there);
    await agree(customer);
    expect(await link.read()).toMatchObject({ status: 'connected' });
  });

  it('says why an address is not a Bluesky server, and keeps the input', async () => {
    const link = await stage.link({ platform: 'bluesky' });
    const customer = await visitor(false);

    await customer.open(link.url);
    await customer.type({ 'Server of your account': new URL(stage.redirectUrl).origin });
    await customer.press('Continue to your server');

    expect(customer.answer().status()).toBe(422);
    expect(await customer.page.getByRole('alert').innerText()).toContain('use an app password');
    expect(await customer.page.getByLabel('Server of your account').inputValue()).toBe(
      new URL(stage.redirectUrl).origin,
    );
    expect(await link.read()).toMatchObject({ status: 'pending' });
  });
});
