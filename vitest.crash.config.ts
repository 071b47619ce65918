/** The real server as a process that is killed and stopped: `vitest run --config vitest.crash.config.ts`. On the real clock, one file at a time. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['tests/crash/**/*.crash.test.ts'],
    globalSetup: ['tests/crash/built-server.ts', 'tests/crash/migrated-folder.ts'],
    fileParallelism: false,
    // Each start takes a few seconds, on a busy machine a few more.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
