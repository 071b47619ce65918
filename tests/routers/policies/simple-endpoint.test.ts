/** What POST /post/{connectionSlug} answers where a policy refuses the post (docs/contract/policies.md). */
import { expect, it } from 'vitest';
import { apiDocument } from '../../harness/api-document.ts';
import { accountWithSandbox } from '../../harness/connections.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();

it('is 403 policy_refused, as its description says', async () => {
  const { key, id: accountId } = await accountWithSandbox(world);
  const agent = await world.key({ accountId });
  await world.rest(`PUT /policies/${agent.id}`, { key, body: { postsPerDay: 1 } });
  await world.rest('POST /post/sandbox', { key: agent.secret, raw: 'Ding' });

  const { status, body } = await world.rest('POST /post/sandbox', { key: agent.secret, raw: 'Ding' });

  expect([status, body.error]).toEqual([403, 'policy_refused']);
  expect(JSON.stringify(apiDocument.paths['/post/{connectionSlug}']?.['post']?.responses['403'])).toContain(
    '`policy_refused`',
  );
  // An error that is not declared is logged.
  expect(world.logged).toEqual([]);
});
