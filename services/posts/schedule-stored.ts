/** Schedules a post that is stored: a draft, or one that failed. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { statement } from '../../entities/statement.ts';
import { stopsPostBy } from '../stops/stop-condition.ts';
import { CONTENT, PostChanged } from './post-changed.ts';
import type { PostRow } from './post-view.ts';

const lockConnection = statement('lock the connection of a post that is scheduled', {
  parameters: { connectionId: 'uuid' },
  result: { id: 'uuid' },
  sql: ({ connectionId }) => `select id from connections where id = ${connectionId} and deleted_at is null for share`,
});

/**
 * Locks the connection, so that removing it either cancels this post too, or commits first and nothing is scheduled. Call it
 * before the post is locked, as where slots are taken.
 */
export async function holdConnection(
  em: SqlEntityManager,
  { connection_id: connectionId }: Pick<PostRow, 'connection_id'>,
): Promise<void> {
  const held = await lockConnection(em, { connectionId });
  if (held.length === 0) throw new PostChanged();
}

// Finds no post that was sent or edited, nor one that a stop is about, since the request read it.
export const scheduleStored = statement('schedule a draft or a failed post', {
  parameters: {
    postId: 'uuid',
    from: 'text',
    generation: 'int',
    time: 'timestamptz',
    slot: 'timestamptz?',
    policyId: 'uuid?',
    callerId: 'uuid',
  },
  result: CONTENT.types,
  sql: ({ postId, from, generation, time, slot, policyId, callerId }) => `
    update posts p set status = 'scheduled', scheduled_for = ${time}, queued = ${slot} is not null, slot_at = ${slot},
      held = false, error_code = null, error_message = null, claimed_until = null,
      generation = p.generation + (p.status = 'failed')::int,
      policy_id = coalesce(${policyId}, p.policy_id)
    where p.id = ${postId} and p.status = ${from} and p.generation = ${generation}
      and not exists (select 1 from stops s where ${stopsPostBy('s', 'p', callerId)})
    returning ${CONTENT.sql}`,
});
