/** The MCP endpoint before the official suites, in a separate process: `vitest run --config vitest.mcp.config.ts`. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['tests/mcp-suite/**/*.suite.test.ts'],
    globalSetup: [
      'tests/mcp-suite/ensure-suite.ts',
      'tests/crash/built-server.ts',
      'tests/crash/migrated-folder.ts',
      'tests/mcp-suite/shared-products.ts',
    ],
    // They share products, and the commands they run are heavy.
    fileParallelism: false,
    maxConcurrency: 3,
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
