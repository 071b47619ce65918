/**
 * Opens and closes the ledger rows of deletes, one per part: opened before the platform is called
 * (docs/contract/posts.md#interrupted-sends).
 */
import { statement } from '../../entities/statement.ts';
import type { ItemError } from '../../errors/item-error.ts';
import type { Published } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';
import { ClaimLost, storable } from './ledger.ts';
import type { PartOutcome } from './send-part.ts';
import { leaseFrom } from './send-times.ts';

// The token of a delete row is the claim it was made under. A row that a dead process left open is reused.
const insertRemoval = statement('open the ledger row of a delete', {
  parameters: {
    id: 'uuid',
    postId: 'uuid',
    generation: 'int',
    index: 'int',
    now: 'timestamptz',
    platformPostId: 'text',
    claim: 'uuid',
    claimedUntil: 'timestamptz',
  },
  result: { id: 'uuid' },
  sql: ({ id, postId, generation, index, now, platformPostId, claim, claimedUntil }) => `
    with held as (
      update posts set claimed_until = ${claimedUntil}
      where id = ${postId} and claim = ${claim} and status in ('processing', 'sent') returning id
    ), resumed as (
      update attempts a set token = ${claim}::text from held
      where a.post_id = held.id and a.generation = ${generation} and a.step = 'delete' and a.index = ${index}
        and a.state = 'sending'
      returning a.id
    ), opened as (
      insert into attempts (id, post_id, generation, step, index, state, token, started_at, platform_post_id)
      select ${id}, id, ${generation}, 'delete', ${index}, 'sending', ${claim}::text, ${now}, ${platformPostId}
      from held where not exists (select 1 from resumed)
      returning id
    )
    select id from resumed union all select id from opened`,
});

const updateRemovals = statement('close the open delete rows of a post', {
  parameters: { postId: 'uuid', generation: 'int', state: 'text', now: 'timestamptz', code: 'text', message: 'text' },
  sql: ({ postId, generation, state, now, code, message }) => `
    update attempts set state = ${state}, settled_at = ${now}, error_code = ${code}, error_message = ${message}
    where post_id = ${postId} and generation = ${generation} and step = 'delete' and state = 'sending'`,
});

/**
 * Opens the row of a part before it is deleted, and extends the claim.
 *
 * @throws ClaimLost when this process no longer holds the claim
 */
export async function openRemoval(
  context: Context,
  post: { readonly id: string; readonly generation: number; readonly claim: string },
  part: { readonly index: number; readonly published: Published },
): Promise<string> {
  const { id, generation, claim } = post;
  const now = context.clock.now();
  const [row] = await insertRemoval(context.db.queries, {
    id: context.random.uuid(),
    postId: id,
    generation,
    index: part.index,
    now,
    platformPostId: part.published.platformPostId,
    claim,
    claimedUntil: leaseFrom(now),
  });
  if (row === undefined) throw new ClaimLost(`the claim on post ${id} was lost`);
  return row.id;
}

/** Closes the delete rows that an earlier process left open and that no process can finish. */
export async function closeRemovals(
  context: Context,
  post: { readonly id: string; readonly generation: number },
  outcome: Extract<PartOutcome, { error: ItemError }>,
): Promise<void> {
  const { code, message } = storable(outcome.error);
  const { id: postId, generation } = post;
  const { state } = outcome;
  await updateRemovals(context.db.queries, { postId, generation, state, now: context.clock.now(), code, message });
}
