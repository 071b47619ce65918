/** What the suites share: the product as it is, and the product with the fixtures of the conformance suite, started once and side by side. */
import type { TestProject } from 'vitest/node';
import { type Product, startProduct } from './product.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    mcp: {
      /** Origin of the product. */
      readonly url: string;
      /** The same, behind which every request has the live key. */
      readonly keyed: string;
      /** The product with the fixtures, behind which every request has the live key. */
      readonly fixtures: string;
    };
  }
}

let started: readonly Product[] = [];

export async function setup({ provide }: TestProject): Promise<void> {
  const [plain, fixtures] = await Promise.all([startProduct(), startProduct({ MCP_CONFORMANCE: '1' })]);
  started = [plain, fixtures];
  provide('mcp', { url: plain.server.url, keyed: plain.keyed, fixtures: fixtures.keyed });
}

export async function teardown(): Promise<void> {
  await Promise.all(started.map((product) => product[Symbol.asyncDispose]()));
}
