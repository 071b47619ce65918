/** A post that only this process may send now, with everything that the send needs, and the row that it is read from. */
import type { Attempt } from '../../entities/attempt.ts';
import type { Post } from '../../entities/post.ts';
import type { Present } from '../../entities/present.ts';
import { column, columns } from '../../entities/column-lists.ts';
import { orNull, typed } from '../../entities/sql-types.ts';
import type { RowOf, Statement } from '../../entities/statement.ts';
import type { PartStep } from '../../platforms/contract.ts';
import { type ConnectionCredential, connectionCredential } from '../connections/connection-credential.ts';
import { platformOf } from '../../platforms/registry.ts';
import type { Context } from '../context.ts';
import { dateOf, dateOrNull } from '../timestamp.ts';
import type { Lease } from './send-times.ts';

/** The content and the destination of a post. */
export type SendablePost = Present<
  Pick<
    Post,
    | 'id'
    | 'accountId'
    | 'profileId'
    | 'connectionSlug'
    | 'platformId'
    | 'mode'
    | 'text'
    | 'thread'
    | 'firstComment'
    | 'aiRewriteStatus'
    | 'tags'
    | 'scheduledFor'
    | 'createdAt'
    | 'generation'
    | 'repeats'
    | 'firstDueAt'
    | 'feeCents'
  >
> & {
  /** Number of images of the head post. */
  readonly mediaCount: number;
};

/** A ledger row that is committed before the platform is called. */
export type OpenAttempt = Present<Pick<Attempt, 'id' | 'index' | 'token' | 'startedAt' | 'prepared'>> & {
  readonly step: PartStep;
};

export interface ClaimedSend {
  readonly post: SendablePost;
  readonly connection: ConnectionCredential;
  /** Fencing token of the send: only the process that holds it can settle the post. */
  readonly claim: string;
  /** How long the claim holds, unless it is extended. */
  readonly lease: Lease;
  /** The open ledger row; null when an earlier process ended between two parts. */
  readonly attempt: OpenAttempt | null;
  /** True when an earlier process started this send and did not settle it. */
  readonly interrupted: boolean;
  /**
   * Present when the post is held after a restore: nothing is sent. The closed row is looked up, if there is one and it
   * is the whole post.
   */
  readonly lookedUp?: OpenAttempt | null;
}

const POST = columns(
  'posts',
  [
    'id',
    'account_id',
    'profile_id',
    'connection_id',
    'connection_slug',
    'platform_id',
    'mode',
    'text',
    'thread',
    'first_comment',
    'ai_rewrite_status',
    'generation',
    'repeats',
    'first_due_at',
    'fee_cents',
    'tags',
    'scheduled_for',
    'created_at',
  ],
  'p',
);
const CREDENTIAL = columns('connections', ['platform_account_id', 'handle', 'credentials'], 'c');

/** Columns of a claimed post, of `posts p` and `connections c`. */
export const CLAIMED = `${POST.sql}, ${CREDENTIAL.sql},
  (select count(*)::int from post_media m where m.post_id = p.id) as media_count`;

/** Types of the columns of {@link CLAIMED}, and of those of the open ledger row, which are null when there is none. */
export const CLAIMED_TYPES = {
  ...POST.types,
  ...CREDENTIAL.types,
  media_count: 'int',
  attempt_id: orNull(column('attempts', 'id')),
  step: typed<PartStep>('text'),
  index: column('attempts', 'index'),
  token: column('attempts', 'token'),
  started_at: column('attempts', 'started_at'),
  prepared: column('attempts', 'prepared'),
} as const;

export type ClaimedRow = RowOf<Statement<{}, typeof CLAIMED_TYPES>>;

/** The send of a row that a statement has claimed. */
export function claimedSend(
  row: ClaimedRow,
  { claim, lease }: Pick<ClaimedSend, 'claim' | 'lease'>,
  interrupted: boolean,
): ClaimedSend {
  return {
    post: {
      id: row.id,
      accountId: row.account_id,
      profileId: row.profile_id,
      connectionSlug: row.connection_slug,
      platformId: row.platform_id,
      mode: row.mode,
      text: row.text,
      thread: row.thread,
      firstComment: row.first_comment,
      aiRewriteStatus: row.ai_rewrite_status,
      mediaCount: row.media_count,
      generation: row.generation,
      repeats: row.repeats,
      firstDueAt: dateOrNull(row.first_due_at),
      feeCents: row.fee_cents,
      tags: row.tags,
      scheduledFor: dateOrNull(row.scheduled_for),
      createdAt: dateOf(row.created_at),
    },
    connection: connectionCredential(row.connection_id, row),
    claim,
    lease,
    attempt: openAttempt(row),
    interrupted,
  };
}

function openAttempt({ attempt_id: id, step, index, token, started_at, prepared }: ClaimedRow): OpenAttempt | null {
  return id === null ? null : { id, step, index, token, startedAt: dateOf(started_at), prepared };
}

/** The first ledger row of a new send: the head of the post. */
export function headAttempt(context: Context, platformId: string, startedAt: Date): OpenAttempt {
  const id = context.random.uuid();
  return { id, step: 'head', index: 0, token: tokenFor(context, platformId, startedAt, id), startedAt, prepared: null };
}

/** The token that identifies a repeated call for a part, in the format that its platform requires. */
export function tokenFor(context: Context, platformId: string, startedAt: Date, attemptId: string): string {
  return platformOf(context.platforms, platformId).makeToken?.(startedAt, attemptId) ?? attemptId;
}
