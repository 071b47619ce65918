/** A customer at a real browser: what they press and type, and what their browser noticed on the way. */
import type { Browser, Locator, Page, Response } from 'playwright-core';
import { expect } from 'vitest';
import { PHONE } from './page-checks.ts';

export interface CustomerOptions {
  /** False switches JavaScript off. */
  readonly scripts?: boolean;
  /** Origins beside the product's and the app's that the walk leads to. */
  readonly peers?: readonly string[];
  /** Paths that scripts of the walk are refused at, and say so themselves. */
  readonly refusedAt?: readonly string[];
}

export interface Customer {
  readonly page: Page;
  /** Whether the pages may run scripts here. */
  readonly scripts: boolean;
  /** Opens an address, and gives the answer it ended at. */
  open(url: string): Promise<Response>;
  press(button: string): Promise<void>;
  follow(link: string): Promise<void>;
  /** Types into fields, by label. */
  type(texts: Readonly<Record<string, string>>): Promise<void>;
  /** The page that is shown, as it was answered. */
  answer(): Response;
  /** Where the customer is now: the address without its query, and the query. */
  place(): [address: string, query: Record<string, string>];
  /** Fails when the browser complained, or asked any other site for anything. */
  expectQuiet(): void;
  close(): Promise<void>;
}

export async function newCustomer(
  browser: Browser,
  sites: { readonly product: string; readonly app: string },
  { scripts = true, peers = [], refusedAt = [] }: CustomerOptions = {},
): Promise<Customer> {
  const context = await browser.newContext({ javaScriptEnabled: scripts, viewport: PHONE });
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  const origins = new Set<string>();
  const answers: Response[] = [];
  let goingTo = '';
  /** What other servers' own pages complain about is theirs. */
  const isTheirs = (url: string) => peers.includes(URL.parse(url)?.origin ?? '');
  page.on('pageerror', (error) => {
    if (!isTheirs(page.url())) complaints.push(error.message);
  });
  page.on('console', (message) => {
    // What is said of a page's headers comes before the page, and names no address.
    if (isTheirs(message.location().url || goingTo)) return;
    // Browsers note pages that are answered with an error; which those are is for the walks to say.
    const isStatus = message.text().startsWith('Failed to load resource: the server responded with a status of');
    if (isStatus && answers.some((answer) => answer.url() === message.location().url && answer.status() >= 400)) return;
    if (isStatus && refusedAt.includes(URL.parse(message.location().url)?.pathname ?? '')) return;
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
    if (!isTheirs(request.url())) complaints.push(`${request.url()}: ${request.failure()?.errorText}`);
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

/** Clicks what leads to another page, and waits until that is there. */
export async function clickThrough(control: Locator): Promise<void> {
  await Promise.all([control.page().waitForEvent('load'), control.click()]);
}
