/**
 * What a browser test needs: the product, the app that customers come from, and a real browser. All browser tests share
 * them.
 */
import { type Browser, chromium } from 'playwright-core';
import { afterAll, afterEach, beforeAll, inject } from 'vitest';
import { callsTo, type ServerProcess } from '../crash/server-process.ts';
import { type Customer, type CustomerOptions, newCustomer } from './customer.ts';
import type { SharedStage } from './shared-stage.ts';

type Product = Pick<ServerProcess, 'rest' | 'get'>;

const shared = inject('stage');

/** False when the global setup found no browser. */
export const HAS_BROWSER = shared !== null;

export interface WalkedLink {
  readonly url: string;
  readonly sessionId: string;
  readonly profileId: string;
  /** The session as the API shows it now. */
  read(): Promise<{ readonly status: string; readonly error: string | null; readonly connectionId: string | null }>;
}

export interface Stage {
  readonly product: Product;
  /** Public address of the product. */
  readonly publicUrl: string;
  /** The address to which customers are sent in the end. The app there shows a heading. */
  readonly redirectUrl: string;
  /** Port on which the product expects a directory of Bluesky accounts. */
  readonly plcPort: number;
  link(fields?: Readonly<Record<string, unknown>>): Promise<WalkedLink>;
  /** A separate browser, which shares no cookies with others. */
  customer(options?: CustomerOptions): Promise<Customer>;
}

/** Prepares the tests of a file, and checks after each test that no customer's browser reported an error. */
export function useStage(): Stage {
  if (shared === null) return nowhere;
  let browser: Browser | undefined;
  const customers: Customer[] = [];
  const stage = stageAt(shared);
  beforeAll(async () => {
    browser = await chromium.connect(shared.browserUrl);
  });
  afterEach(async () => {
    const left = customers.splice(0);
    await Promise.all(left.map(({ close }) => close()));
    for (const customer of left) customer.expectQuiet();
  });
  afterAll(() => browser?.close());
  return {
    ...stage,
    customer: async (options) => {
      if (browser === undefined) throw new Error('a browser is there during tests, not before');
      const customer = await newCustomer(browser, { product: stage.publicUrl, app: shared.appUrl }, options);
      customers.push(customer);
      return customer;
    },
  };
}

function stageAt({ productUrl, appUrl, plcPort }: SharedStage): Omit<Stage, 'customer'> {
  const product = callsTo(productUrl);
  const redirectUrl = `${appUrl}/connected?tab=2`;
  return {
    product,
    publicUrl: productUrl.replace('127.0.0.1', 'localhost'),
    redirectUrl,
    plcPort,
    link: (fields) => makeLink(product, { redirectUrl, ...fields }),
  };
}

/** A placeholder for when there is no browser and every browser test is skipped. */
const nowhere = new Proxy({} as Stage, {
  get: () => {
    throw new Error('there is no browser, so there is no stage');
  },
});

async function makeLink(product: Product, fields: Readonly<Record<string, unknown>>): Promise<WalkedLink> {
  const { body: made } = await product.rest('POST /profiles', { body: { name: 'A customer' } });
  const profileId: string = made.profile.id;
  const { status, body } = await product.rest(`POST /profiles/${profileId}/connect`, { body: fields });
  if (status !== 200) throw new Error(`the link was not made: ${JSON.stringify(body)}`);
  return {
    url: body.url,
    sessionId: body.connectSessionId,
    profileId,
    read: async () => (await product.rest(`GET /connect-sessions/${body.connectSessionId}`)).body.connectSession,
  };
}
