/** A customer in a real browser: clicks, typed input, and the errors that the browser reports. */
import type { Browser, Locator, Page, Response } from 'playwright-core';
import { expect } from 'vitest';
import { PHONE } from './page-checks.ts';

const OFFLINE = 'net::ERR_INTERNET_DISCONNECTED';

export interface CustomerOptions {
  /** False switches JavaScript off. */
  readonly scripts?: boolean;
  /** Other origins, besides those of the product and the app, that the test visits. */
  readonly peers?: readonly string[];
  /**
   * Paths for which the test expects a refusal or no answer; one that ends with a slash stands for all under it.
   * While a page is offline, which only a test does, any request may fail.
   */
  readonly refusedAt?: readonly string[];
}

export interface Customer {
  readonly page: Page;
  /** Whether the pages may run scripts here. */
  readonly scripts: boolean;
  /** Opens an address and returns the final answer. */
  open(url: string): Promise<Response>;
  press(button: string): Promise<void>;
  follow(link: string): Promise<void>;
  /** Types into fields, by label. */
  type(texts: Readonly<Record<string, string>>): Promise<void>;
  /** The page shown, as it was answered. */
  answer(): Response;
  /** The current address without its query, and the query. */
  place(): [address: string, query: Record<string, string>];
  /** Fails when the browser reported an error, or requested any other site. */
  expectQuiet(): void;
  close(): Promise<void>;
}

export async function newCustomer(
  browser: Browser,
  sites: { readonly product: string; readonly app: string },
  { scripts = true, peers = [], refusedAt = [] }: CustomerOptions = {},
): Promise<Customer> {
  const context = await browser.newContext({ javaScriptEnabled: scripts, viewport: PHONE });
  context.setDefaultTimeout(45_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  const origins = new Set<string>();
  const answers: Response[] = [];
  let goingTo = '';
  /** Errors on the pages of other servers are not ours. */
  const isTheirs = (url: string) => peers.includes(URL.parse(url)?.origin ?? '');
  const isRefused = (url: string) => {
    const asked = URL.parse(url)?.pathname ?? '';
    return refusedAt.some((path) => (path.endsWith('/') ? asked.startsWith(path) : asked === path));
  };
  page.on('pageerror', (error) => {
    if (!isTheirs(page.url())) complaints.push(error.message);
  });
  page.on('console', (message) => {
    // The browser reports errors about a page's headers before the page, and without an address.
    if (isTheirs(message.location().url || goingTo)) return;
    // Browsers report pages answered with an error status. Each test says which ones it expects.
    const isStatus = message.text().startsWith('Failed to load resource: the server responded with a status of');
    if (isStatus && answers.some((answer) => answer.url() === message.location().url && answer.status() >= 400)) return;
    if (message.text().includes(OFFLINE)) return;
    const isUnread = message.text().startsWith('Failed to load resource:');
    if (isUnread && isRefused(message.location().url)) return;
    if (['error', 'warning'].includes(message.type())) complaints.push(`${message.text()} (${message.location().url})`);
  });
  page.on('request', (request) => {
    origins.add(new URL(request.url()).origin);
    if (request.isNavigationRequest()) goingTo = request.url();
  });
  page.on('response', (response) => {
    if (response.request().isNavigationRequest() && (response.status() < 300 || response.status() >= 400)) {
      answers.push(response);
    }
  });
  page.on('requestfailed', (request) => {
    // A page that is left gives up its requests.
    if (['net::ERR_ABORTED', OFFLINE].includes(request.failure()?.errorText ?? '')) return;
    if (!isTheirs(request.url()) && !isRefused(request.url()))
      complaints.push(`${request.url()}: ${request.failure()?.errorText}`);
  });

  const answer = () => {
    const last = answers.at(-1);
    if (last === undefined) throw new Error('no page was opened yet');
    return last;
  };
  return {
    page,
    scripts,
    open: async (url) => {
      await page.goto(url);
      return answer();
    },
    press: (button) => clickThrough(page.getByRole('button', { name: button, exact: true })),
    follow: (link) => clickThrough(page.getByRole('link', { name: link, exact: true })),
    type: async (texts) => {
      for (const [label, text] of Object.entries(texts)) await page.getByLabel(label, { exact: true }).fill(text);
    },
    answer,
    place: () => {
      const { origin, pathname, searchParams } = new URL(page.url());
      return [origin + pathname, Object.fromEntries(searchParams)];
    },
    expectQuiet: () => {
      expect(complaints).toEqual([]);
      const known = [sites.product, sites.app, ...peers, 'null'];
      expect([...origins].filter((origin) => !known.includes(origin))).toEqual([]);
    },
    close: () => context.close(),
  };
}

/** Clicks a control that opens another page, and waits until that page has loaded. */
export async function clickThrough(control: Locator): Promise<void> {
  await Promise.all([control.page().waitForEvent('load'), control.click()]);
}
