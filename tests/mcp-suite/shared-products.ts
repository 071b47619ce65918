/**
 * What the suites share, started once in parallel: the product as it is, with the fixtures of the conformance suite,
 * and with an owner and a manual clock.
 */
import type { TestProject } from 'vitest/node';
import { OWNER_ENV } from '../harness/owner.ts';
import { type Product, startProduct } from './product.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    mcp: {
      /** Origin of the product. */
      readonly url: string;
      /** The same through the proxy that adds the live key. */
      readonly keyed: string;
      /** The product with the fixtures, through the proxy that adds the live key. */
      readonly fixtures: string;
      /** The product with an owner who can sign in, and a manual clock. */
      readonly owned: string;
    };
  }
}

let started: readonly Product[] = [];

export async function setup({ provide }: TestProject): Promise<void> {
  const [plain, fixtures, owned] = await Promise.all([
    startProduct(),
    startProduct({ MCP_CONFORMANCE: '1' }),
    startProduct({ ...OWNER_ENV, CLOCK: 'manual', OUTBOUND_ALLOW: '127.0.0.0/8' }),
  ]);
  started = [plain, fixtures, owned];
  const urls = { url: plain.server.url, keyed: plain.keyed, fixtures: fixtures.keyed, owned: owned.server.url };
  provide('mcp', urls);
}

export async function teardown(): Promise<void> {
  await Promise.all(started.map((product) => product[Symbol.asyncDispose]()));
}
