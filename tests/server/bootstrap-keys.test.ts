/** The keys of the first account that the settings give (docs/configuration.md#the-first-account). */
import { expect, it } from 'vitest';
import { startWorld } from '../harness/world.ts';

// tests/crash/configuration.crash.test.ts has the lengths that the start refuses.
it.each([32, 200])('of %i letters are accepted by the start and by requests', async (letters) => {
  const live = `crl_live_${'A'.repeat(letters)}`;
  const test = `crl_test_${'B'.repeat(letters)}`;
  await using world = await startWorld({ env: { BOOTSTRAP_LIVE_KEY: live, BOOTSTRAP_TEST_KEY: test } });

  const answers = await Promise.all([live, test].map((key) => world.rest('GET /posts', { key })));

  expect(answers.map(({ status, body }) => [status, body])).toEqual([
    [200, { posts: [], nextCursor: null, limit: 25, offset: 0 }],
    [200, { posts: [], nextCursor: null, limit: 25, offset: 0 }],
  ]);
});
