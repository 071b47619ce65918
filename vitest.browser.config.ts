/** The hosted connect page and the console in a real browser: `vitest run --config vitest.browser.config.ts`. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['tests/browser/**/*.browser.test.ts'],
    globalSetup: ['tests/harness/global-setup.ts', 'tests/browser/ensure-chromium.ts', 'tests/browser/shared-stage.ts'],
    setupFiles: ['tests/harness/close-all.ts'],
    // They share a product, whose clock some of them move, and a browser.
    fileParallelism: false,
    isolate: false,
    testTimeout: 120_000,
    // The first run installs the servers of other platforms.
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
