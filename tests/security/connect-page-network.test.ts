/**
 * The hosted connect page reveals nothing about the install's network to customers. API callers learn which setting to
 * change.
 */
import { expect, it } from 'vitest';
import { openBrowser } from '../harness/browser.ts';
import { makeLink } from '../harness/connect-links.ts';
import { startWorld } from '../harness/world.ts';

const world = await startWorld({ env: { OUTBOUND_ALLOW: '127.0.0.1/32' } });

/** What the page says about a server that a customer names. */
async function pageText(server: string): Promise<string> {
  const link = await makeLink(world, { platform: 'mastodon' });
  const browser = openBrowser(world);
  const page = await browser.press(await browser.get(link.path), 'Connect', { Server: server });
  expect(page.status).toBe(422);
  return page.text;
}

it.each([
  ['an address of the network', 'https://10.0.0.8'],
  ['a closed port', 'http://127.0.0.1:1'],
  ['plain http to a public address', 'http://93.184.216.34'],
  ['a name that is this machine', 'https://localhost:1'],
])('says the same of %s', async (_which, server) => {
  const text = await pageText(server);

  expect(text).toContain('The server could not be reached. Check its address, or try again later.');
  expect(text).not.toMatch(/OUTBOUND_ALLOW|public address|resolves to|refused the connection|::1/);
});

it('and API callers get the reason, and the setting that would allow it', async () => {
  const credentials = { instanceUrl: 'https://10.0.0.8', accessToken: 'a-token-of-hers' };

  const { status, body } = await world.rest('POST /connections', { body: { platformId: 'mastodon', credentials } });

  expect(status).toBe(503);
  expect(body.message).toBe(
    '10.0.0.8 could not be reached: 10.0.0.8 is not a public address; list it in OUTBOUND_ALLOW if this install may reach it.',
  );
});
