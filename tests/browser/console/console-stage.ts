/**
 * What a test of a view needs: its own install with connections and posts, a real browser in which the owner is
 * signed in, and checks that hold on every view.
 */
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest';
import { freePort } from '../../crash/server-process.ts';
import { connectSandbox, type TestConnection } from '../../harness/connections.ts';
import { OWNER_ENV, signedInBrowser } from '../../harness/owner.ts';
import { LIVE_KEY, startWorld, type World, type WorldOptions } from '../../harness/world.ts';
import { type Customer, newCustomer } from '../customer.ts';
import { DESKTOP } from '../page-checks.ts';

const shared = inject('stage');

/** False when the global setup found no browser. */
export const HAS_BROWSER = shared !== null;

export interface VisitOptions {
  /** Default: a desktop. */
  readonly size?: { readonly width: number; readonly height: number };
  /** Whether the owner is signed in; true by default. */
  readonly isSignedIn?: boolean;
  /** Paths whose refusals the test expects. */
  readonly refusedAt?: readonly string[];
}

export interface ConsoleStage {
  readonly world: World;
  /** Opens a view in a separate browser, and waits for its heading. */
  visit(path: string, options?: VisitOptions): Promise<Customer>;
  /** Connects sandboxes: `bell-1`, `bell-2` and so on, counted through the file. */
  connect(count: number): Promise<TestConnection[]>;
  /** Writes posts to the first sandbox over the API; gives their ids, newest last. */
  write(texts: readonly string[], fields?: Readonly<Record<string, unknown>>): Promise<string[]>;
}

export interface StageOptions extends WorldOptions {
  /** Whether the addresses that the install writes, such as connect links, lead to it. */
  readonly isAtPublicUrl?: boolean;
}

/** Prepares the tests of a file. Browsers are closed after each test, and must not have reported an error. */
export function useConsole({ isAtPublicUrl = false, ...options }: StageOptions = {}): ConsoleStage {
  if (shared === null) return nowhere;
  let browser: Browser | undefined;
  let world: World | undefined;
  let connected = 0;
  const customers: Customer[] = [];
  beforeAll(async () => {
    browser = await chromium.connect(shared.browserUrl);
    const port = isAtPublicUrl ? await freePort() : 0;
    const place = isAtPublicUrl && { PUBLIC_URL: `http://127.0.0.1:${port}` };
    world = await startWorld({ sleepsReally: true, port, ...options, env: { ...OWNER_ENV, ...place, ...options.env } });
  });
  afterEach(async ({ task }) => {
    const left = customers.splice(0);
    if (task.result?.state === 'fail') await Promise.all(left.map(({ page }) => print(page)));
    await Promise.all(left.map(({ close }) => close()));
    for (const customer of left) customer.expectQuiet();
  });
  afterAll(() => browser?.close());

  const started = (): World => {
    if (world === undefined) throw new Error('the install is there during tests, not before');
    return world;
  };
  return {
    get world() {
      return started();
    },
    visit: async (path, visit = {}) => {
      const { url } = started();
      const customer = await newCustomer(browser as Browser, { product: url, app: url }, visit);
      customers.push(customer);
      await prepare(customer.page, started(), visit);
      await customer.open(url + path);
      await customer.page.getByRole('heading', { level: 1 }).waitFor();
      return customer;
    },
    connect: async (count) => {
      const made: TestConnection[] = [];
      for (let index = 0; index < count; index += 1) {
        connected += 1;
        const fields = { slug: `bell-${connected}`, description: `Bell number ${connected}` };
        made.push(await connectSandbox(started(), fields));
      }
      return made;
    },
    write: async (texts, fields = {}) => {
      const ids: string[] = [];
      for (const text of texts) {
        const body = { text, connectionSlugs: [started().sandboxSlug], ...fields };
        const answer = await started().rest('POST /posts', { body });
        ids.push(answer.body.results[0].postId);
      }
      return ids;
    },
  };
}

/** Prints what the page shows when a test has failed, because the failure says only what it does not show. */
async function print(page: Page): Promise<void> {
  const shown = await page.locator('body').ariaSnapshot();
  process.stderr.write(`${page.url()}\n${shown}\n`);
}

async function prepare(page: Page, world: World, { size = DESKTOP, isSignedIn = true }: VisitOptions): Promise<void> {
  await page.setViewportSize(size);
  // The page reads the time of the machine, and the install its own.
  await page.clock.setFixedTime(world.clock.now());
  if (!isSignedIn) return;
  const { cookies } = await signedInBrowser(world);
  const own = [...cookies].map(([name, value]) => ({ name, value, url: world.url }));
  await page.context().addCookies(own);
}

/** A placeholder for when there is no browser and every browser test is skipped. */
const nowhere = new Proxy({} as ConsoleStage, {
  get: () => {
    throw new Error('there is no browser, so there is no console');
  },
});

/**
 * Leaves the page no connection to the service, until it is left: browsers keep six of them, the page has one stream of events, and now
 * five more.
 */
export async function fillConnections(page: Page, url: string): Promise<void> {
  const answers = await page.evaluate(
    async ([events, key]) => {
      const open = async () => (await fetch(events, { headers: { 'x-api-key': key } })).status;
      return await Promise.all([open(), open(), open(), open(), open()]);
    },
    [`${url}/api/v2/events`, LIVE_KEY] as const,
  );
  expect(answers).toEqual([200, 200, 200, 200, 200]);
}
