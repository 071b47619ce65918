/** The OpenAPI document before linters and generators of clients: `vitest run --config vitest.openapi.config.ts`. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['tests/openapi-suite/**/*.suite.test.ts'],
    globalSetup: ['tests/openapi-suite/ensure-tools.ts', 'tests/harness/global-setup.ts'],
    setupFiles: ['tests/harness/close-all.ts'],
    fileParallelism: false,
    // Compilers on a busy machine.
    testTimeout: 240_000,
    // The first run installs the tools.
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
