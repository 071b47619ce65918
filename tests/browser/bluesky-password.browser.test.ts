/** Bluesky with an app password, in a real browser against a real PDS. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { peerScript } from '../peers/ensure-peers.ts';
import { openOnPds, type PeerAccount } from '../peers/peer-accounts.ts';
import { BACK, expectGoodPage } from './page-checks.ts';
import { HAS_BROWSER, useStage } from './stage.ts';

const stage = useStage();
const script = peerScript('bluesky/start-pds.mjs');

describe.skipIf(!HAS_BROWSER || script === undefined)('Bluesky', () => {
  let account: PeerAccount;

  beforeAll(async () => {
    account = await openOnPds(script ?? '');
  });

  afterAll(() => account?.stop());

  const login = () => ({
    Handle: account.credentials['identifier'] ?? '',
    Service: account.credentials['service'] ?? '',
  });

  it('says why a password is refused, keeps the other fields, and connects with the right one', async () => {
    const link = await stage.link({ platform: 'bluesky' });
    const customer = await stage.customer();
    const leadsTo = [...BACK, 'http:'];

    await customer.open(link.url);
    await expectGoodPage(customer, { leadsTo, picture: 'bluesky' });
    await customer.type({ ...login(), 'App password': 'wrong-wrong-wrong' });
    await customer.press('Connect');
    expect(customer.answer().status()).toBe(422);
    expect(await customer.page.getByRole('alert').innerText()).toMatch(
      /does not accept this credential: Invalid identifier or/,
    );
    await expectGoodPage(customer, { leadsTo, picture: 'refused' });
    await customer.type({ ...login(), 'App password': account.credentials['appPassword'] ?? '' });
    await customer.press('Connect');

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
  });

  it('keeps handle and service, but not the password, for a retry without scripts', async () => {
    const link = await stage.link({ platform: 'bluesky' });
    const customer = await stage.customer({ scripts: false });

    await customer.open(link.url);
    await customer.type({ ...login(), 'App password': 'wrong-wrong-wrong' });
    await customer.press('Connect');

    const typed = await Promise.all(
      ['Handle', 'App password', 'Service'].map((label) =>
        customer.page.getByLabel(label, { exact: true }).inputValue(),
      ),
    );
    expect(typed).toEqual([login().Handle, '', login().Service]);
    await customer.type({ 'App password': account.credentials['appPassword'] ?? '' });
    await customer.press('Connect');
    expect(await link.read()).toMatchObject({ status: 'connected' });
  });

  it('is connect_failed when the customer gives up after a refusal', async () => {
    const link = await stage.link({ platform: 'bluesky' });
    const customer = await stage.customer();

    await customer.open(link.url);
    await customer.type({ ...login(), 'App password': 'wrong-wrong-wrong' });
    await customer.press('Connect');
    await customer.press('Cancel');

    expect(customer.place()[1]).toEqual({ tab: '2', connectSessionId: link.sessionId, error: 'connect_failed' });
    expect(await link.read()).toMatchObject({ status: 'failed', error: 'connect_failed', connectionId: null });
  });

  it('makes the browser mark an empty field, and sends nothing', async () => {
    const link = await stage.link({ platform: 'bluesky' });
    const customer = await stage.customer();
    await customer.open(link.url);
    const before = customer.answer();

    await customer.type({ Handle: login().Handle });
    await customer.page.getByRole('button', { name: 'Connect' }).click();

    expect(await customer.page.evaluate('document.activeElement.name')).toBe('appPassword');
    expect(customer.answer()).toBe(before);
  });
});
