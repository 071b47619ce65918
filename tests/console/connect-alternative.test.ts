/**
 * A platform that can be linked in two ways: with a credentials form, and over its own page if the install has an app
 * there.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { type JsonObject, PlatformFailure } from '../../platforms/contract.ts';
import type { AlternativeConnect, HostedConnect } from '../../platforms/connect.ts';
import { openBrowser } from '../harness/browser.ts';
import { destination, makeLink } from '../harness/connect-links.ts';
import { PUBLIC_URL, startWorld } from '../harness/world.ts';

const world = await startWorld();

/** Settings of the platform's page: whether there is an app, and the outcome of consent. */
let isSetUp = true;
let granted: { label: string; credentials: JsonObject }[] = [];
const typedFirst: unknown[] = [];

const alternative: AlternativeConnect = {
  button: 'Go there',
  hint: 'Or agree on its own page.',
  fields: [{ name: 'place', label: 'Place', hint: 'Where to.', kind: 'text', required: true }],
  oauth: {
    isSetUp: () => isSetUp,
    pageSources: () => ['https://page.example'],
    begin: async (typed, { state }) => {
      typedFirst.push(typed);
      return { url: `https://page.example/agree?state=${state}`, memo: {} };
    },
    finish: async () => granted,
  },
  connectAccount: async ({ choice }) => {
    if (choice === 'shut') throw new PlatformFailure('rejected', 'The choice is closed.');
    return { platformAccountId: `account-${String(choice)}`, handle: 'granted', credential: { choice } };
  },
};
const hosted: HostedConnect<unknown> = { fields: [], alternative };
Object.assign(world.context.platforms.sandbox, { hosted });

beforeEach(() => {
  isSetUp = true;
  granted = [{ label: 'First choice', credentials: { choice: 'front' } }];
});

const callback = (state = '') => `/connect/callback/sandbox?code=1&state=${encodeURIComponent(state)}`;

/** Follows the second way to the platform's page and back; returns the browser and the answer. */
async function agree(path: string) {
  const browser = openBrowser(world);
  const away = await browser.press(await browser.get(path), 'Go there', { Place: 'here' });
  const { state } = destination(away.location)[1];
  return { browser, end: await browser.get(callback(state)) };
}

describe('a second way', () => {
  it('is a form beside that of credentials, which still works', async () => {
    const link = await makeLink(world, { platform: 'sandbox' });
    const browser = openBrowser(world);

    const page = await browser.get(link.path);
    const end = await browser.press(page, 'Connect');

    expect(page.text).toContain('Or agree on its own page.');
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self' https: https://page.example;");
    expect(destination(end.location)[1]).toMatchObject({ platform: 'sandbox', slug: 'sandbox' });
  });

  it('leads to the page with the typed input, and links the approved account', async () => {
    const link = await makeLink(world, { platform: 'sandbox' });

    const { end } = await agree(link.path);

    expect(typedFirst.at(-1)).toEqual({ place: 'here' });
    const query = destination(end.location)[1];
    expect(query).toMatchObject({ slug: 'sandbox-granted', platform: 'sandbox' });
    const id = query['connectionId'] ?? '';
    const [row] = await world.sql<{ credentials: string }>('select credentials from connections where id = $1', [id]);
    expect(world.context.vault.open(row?.credentials ?? '', id)).toEqual({ choice: 'front' });
  });

  it('lets the customer choose between several accounts', async () => {
    granted.push({ label: 'Second choice', credentials: { choice: 'back' } });
    const link = await makeLink(world, { platform: 'sandbox' });

    const { browser, end } = await agree(link.path);
    const chosen = await browser.press(await browser.get(end.location ?? ''), 'Second choice');

    const id = destination(chosen.location)[1]['connectionId'] ?? '';
    const [row] = await world.sql('select platform_account_id from connections where id = $1', [id]);
    expect(row).toEqual({ platform_account_id: 'account-back' });
  });

  it('shows a refusal with both ways to retry', async () => {
    granted = [{ label: 'Closed choice', credentials: { choice: 'shut' } }];
    const link = await makeLink(world, { platform: 'sandbox' });

    const { browser, end } = await agree(link.path);
    const page = await browser.get(end.location ?? '');

    expect(page.text).toContain('The choice is closed.');
    expect((await browser.press(page, 'Go there', { Place: 'here' })).location).toMatch(/^https:\/\/page\.example/);
    expect((await browser.press(page, 'Connect')).location).toMatch(/slug=sandbox/);
  });

  it('asks for its required input first', async () => {
    const link = await makeLink(world, { platform: 'sandbox' });
    const browser = openBrowser(world);

    const page = await browser.press(await browser.get(link.path), 'Go there');

    expect([page.status, page.location]).toEqual([422, null]);
    expect(page.text).toContain('Place: please fill this in.');
  });

  it('is unavailable without the app that it needs, and cannot be forced', async () => {
    isSetUp = false;
    const link = await makeLink(world, { platform: 'sandbox' });
    const browser = openBrowser(world);

    const page = await browser.get(link.path);
    const forced = await browser.post(`/connect/session/${link.sessionId}/alternative`, {
      platform: 'sandbox',
      place: 'here',
    });

    expect(page.text).not.toContain('Go there');
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self' https:;");
    expect(forced.location).toBe(`/connect/session/${link.sessionId}`);
  });

  it('ends as cancelled when the customer declines there', async () => {
    const link = await makeLink(world, { platform: 'sandbox' });
    const browser = openBrowser(world);
    const away = await browser.press(await browser.get(link.path), 'Go there', { Place: 'here' });
    const { state } = destination(away.location)[1];

    const end = await browser.get(`${PUBLIC_URL}${callback(state)}&error=access_denied`);

    expect(destination(end.location)[1]).toMatchObject({ error: 'cancelled' });
  });
});
