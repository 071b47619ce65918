/** How much of a long history a list of approvals reads: no more than its page (docs/performance.md). */
import { expect, it } from 'vitest';
import type { ApprovalState } from '../../../entities/approval.ts';
import { listApprovals } from '../../../services/approvals/list-approvals.ts';
import { accountWithSandbox } from '../../harness/connections.ts';
import { pagesRead } from '../../harness/pages-read.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();

/** Of an account with one approval that waits, after many that are approved, and one that was rejected before all. */
async function accountWithHistory() {
  const { id, key } = await accountWithSandbox(world);
  const asking = await world.key({ accountId: id, approval: 'required' });
  const body = { text: 'May I?', connectionSlugs: ['sandbox'] };
  const ask = async () => (await world.rest('POST /posts', { key: asking.secret, body })).body.results[0].postId;
  const rejected: string = await ask();
  await world.rest(`POST /posts/${rejected}/reject`, { key, body: { reason: 'No.' } });
  world.clock.advance(60_000);
  const pending: string = await ask();
  const copies = (table: string, changes: string) => `
    select (jsonb_populate_record(row, ${changes} || jsonb_build_object(
      'id', (left(row.id::text, 24) || lpad(to_hex(n), 12, '0'))::uuid))).* from ${table} row, generate_series(1, 4000) n`;
  await world.sql(`insert into posts ${copies('posts', `'{}'::jsonb`)} where id = $1`, [rejected]);
  await world.sql(
    `insert into approvals ${copies(
      'approvals',
      `jsonb_build_object('state', 'approved', 'post_id', left(post_id::text, 24) || lpad(to_hex(n), 12, '0'))`,
    )} where post_id = $1`,
    [rejected],
  );
  for (const table of ['posts', 'approvals']) await world.sql(`analyze ${table}`);
  return { id, key, rejected, pending };
}

it('finds the few requests of a state below thousands of another one', async () => {
  const { id, key, rejected, pending } = await accountWithHistory();
  const caller = { accountId: id, profileId: null, mode: 'live' } as Parameters<typeof listApprovals>[1];
  const pagesOf = (state: ApprovalState) =>
    pagesRead(world, (context) => listApprovals(context, caller, { state, limit: 25 }));
  const listed = async (state: string) =>
    (await world.rest(`GET /approvals?state=${state}`, { key })).body.approvals.map(
      ({ postId }: { postId: string }) => postId,
    );

  expect([await listed('rejected'), await listed('pending')]).toEqual([[rejected], [pending]]);
  for (const state of ['rejected', 'pending', 'expired'] as const) expect(await pagesOf(state)).toBeLessThan(25);
});
