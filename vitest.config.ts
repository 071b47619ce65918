/** `npm test`: everything that runs on this machine alone. Slower suites have configurations of their own. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    exclude: [
      'tests/crash/**',
      'tests/peers/**',
      'tests/browser/**',
      'tests/mcp-suite/**',
      'tests/openapi-suite/**',
      'node_modules/**',
    ],
    globalSetup: ['tests/harness/global-setup.ts'],
    setupFiles: ['tests/harness/close-all.ts'],
    // Each worker holds a database engine of about 500 MB; beside a server it mostly waits.
    maxWorkers: process.env['TEST_DATABASE_URL'] === undefined ? 2 : 4,
    // Files share the modules they import, which is a third of the time; each still starts its own world.
    isolate: false,
    // CI runs other suites beside this one, and on the slowest machine tests of ten seconds took more than two minutes.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
  },
});
