/** The adapters against real servers: `vitest run --config vitest.peers.config.ts`. One server at a time. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['tests/peers/**/*.peer.test.ts'],
    fileParallelism: false,
    testTimeout: 240_000,
    // The first run installs the servers.
    hookTimeout: 600_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
