/** Reads the send ledger of a post, oldest attempt first (docs/contract/connections.md#linking-with-credentials). */
import { type Tables, tables } from '../../entities/tables.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { pageOf } from '../paging.ts';
import { storedError } from '../../errors/item-error.ts';
import { timestamp, timestampOrNull } from '../timestamp.ts';
import { findPost } from './find-post.ts';

const ATTEMPT = [
  'id',
  'step',
  'index',
  'state',
  'started_at',
  'settled_at',
  'platform_post_id',
  'error_code',
  'error_message',
] as const;

type AttemptRow = Pick<Tables['attempts'], (typeof ATTEMPT)[number]>;

type AttemptView = ReturnType<typeof attemptView>;

/** One page of a ledger. */
export interface AttemptPage {
  /** 1 to 100. */
  readonly limit: number;
  /** Id of an attempt: the page starts with the attempts newer than it. */
  readonly cursor?: string | undefined;
}

/** @throws ServiceError not_found for an unknown or foreign post. */
export async function listAttempts(
  context: Context,
  caller: Caller,
  postId: string,
  { limit, cursor }: AttemptPage,
): Promise<{ attempts: AttemptView[]; nextCursor: string | null }> {
  const post = await findPost(context, caller, postId);
  const rows = await tables(context.db.queries)
    .selectFrom('attempts')
    .select(ATTEMPT)
    .where('post_id', '=', post.id)
    .$if(cursor !== undefined, (attempts) => attempts.where('id', '>', cursor as string))
    .orderBy('id')
    .limit(limit + 1)
    .execute();
  const { items, nextCursor } = pageOf(rows, limit);
  return { attempts: items.map(attemptView), nextCursor };
}

function attemptView(row: AttemptRow) {
  return {
    id: row.id,
    step: row.step,
    index: row.index,
    state: row.state,
    startedAt: timestamp(row.started_at),
    settledAt: timestampOrNull(row.settled_at),
    platformPostId: row.platform_post_id,
    error: storedError(row),
  };
}
