/** Inserts new posts. Posts to send now are inserted as claimed, with their ledger row, in the same statement. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Post } from '../../entities/post.ts';
import type { Present } from '../../entities/present.ts';
import { columns } from '../../entities/column-lists.ts';
import { orNull, typed } from '../../entities/sql-types.ts';
import { type RecordOf, records, type RowOf, statement } from '../../entities/statement.ts';
import type { ItemError } from '../../errors/item-error.ts';
import { createGroupedBatcher } from '../batcher.ts';
import type { Context } from '../context.ts';
import type { Identity } from '../access/identity.ts';
import type { ConnectionCredential } from '../connections/connection-credential.ts';
import type { CheckedMedia } from '../media/check-media.ts';
import { DECIDED_REWRITE } from '../polish/rewrite-wanted.ts';
import { type ClaimedSend, headAttempt, type SendablePost } from '../sending/claimed-send.ts';
import { leaseNow } from '../sending/send-times.ts';
import { stops } from '../stops/stop-condition.ts';
import { STOP_FACTS, type StopFacts, stoppedError } from '../stops/stopped-error.ts';
import { wordsOf } from './post-words.ts';

/** A post that passed all checks. */
export interface NewPost extends Present<Pick<Post, 'rewrite' | 'slotAt'>> {
  readonly post: SendablePost;
  readonly connection: ConnectionCredential;
  /** Initial status: sent now, at its time, or kept as a draft. */
  readonly status: 'processing' | 'scheduled' | 'draft';
  readonly media: readonly Pick<CheckedMedia, 'id' | 'altText' | 'uploadedAltText'>[];
  /** Id of its request for approval, stored after it; null when it needs none. */
  readonly approvalId: string | null;
  readonly createdBy: Identity;
  /** The policy that it was checked against; null for none. */
  readonly policyId: string | null;
}

const POST = records({
  id: 'uuid',
  accountId: 'uuid',
  connectionId: 'uuid',
  profileId: 'uuid?',
  connectionSlug: 'text',
  platformId: 'text',
  mode: 'text',
  status: 'text',
  text: 'text',
  thread: 'text[]',
  firstComment: 'text?',
  rewrite: 'boolean?',
  tags: 'text[]',
  scheduledFor: 'timestamptz?',
  slotAt: 'timestamptz?',
  feeCents: 'int',
  createdAt: 'timestamptz',
  claim: 'uuid?',
  claimedUntil: 'timestamptz?',
  attemptId: 'uuid?',
  token: 'text?',
  idempotencyRecordId: 'uuid?',
  approvalId: 'uuid?',
  createdByKind: 'text',
  createdById: 'uuid',
  policyId: 'uuid?',
  media: typed<readonly { id: string; mediaId: string; position: number; altText: string | null }[]>('jsonb'),
});

const OF_INPUT = {
  account: 'i."accountId"',
  profile: 'i."profileId"',
  creator: 'i."createdById"',
} as const;

// Foreign keys are checked at the end of a statement, so one statement can insert all rows of a post. It looks for stops
// and deleted connections too: the request may have waited for locks since its checks. The lock is the one of the foreign
// key, taken before the row is read and, also for drafts, in the order of ids: removing a connection either cancels the post too,
// or commits first.
const insertPosts = statement('store new posts', {
  parameters: { posts: POST },
  result: {
    ...columns('posts', ['id', 'ai_rewrite_status']).types,
    stop: orNull(typed<StopFacts>('jsonb')),
    is_gone: 'boolean',
  },
  sql: ({ posts }) => `
    with new as (
      select posts.*, 0 as repeats, null::text as ai_rewrite_status from ${posts}
    ), present as (
      select id, account_id, rewrite_mode from connections
      where id = any(array(select "connectionId" from new)) and deleted_at is null
      order by id for key share
    ), given as (
      select i.*, i.status <> 'draft' and c.id is null as is_gone, case when i.status <> 'draft' then (
        select ${STOP_FACTS} from stops s where ${stops('s', OF_INPUT)} order by s.id limit 1) end as stop
      from new i left join present c on c.id = i."connectionId"
    ), input as (
      select * from given where stop is null and not is_gone
    ), stored as (
      insert into posts (id, account_id, connection_id, profile_id, connection_slug, platform_id, mode, status,
        text, original_text, thread, first_comment, rewrite, ai_rewrite_status, tags, scheduled_for, queued, slot_at,
        fee_cents, created_at, claim, claimed_until, tries, idempotency_record_id, approval_id, created_by_kind,
        created_by_id, policy_id)
      select p.id, "accountId", "connectionId", "profileId", "connectionSlug", "platformId", mode, status,
        text, text, thread, "firstComment", rewrite, case when claim is not null then ${DECIDED_REWRITE} end, tags,
        "scheduledFor", "slotAt" is not null, "slotAt", "feeCents", "createdAt", claim, "claimedUntil",
        (claim is not null)::int, "idempotencyRecordId", "approvalId", "createdByKind", "createdById", "policyId"
      from input p left join present c on c.id = p."connectionId"
      returning id, ai_rewrite_status
    ), images as (
      insert into post_media (id, post_id, media_id, position, alt_text)
      select m.id, i.id, m."mediaId", m.position, m."altText" from input i
      cross join lateral jsonb_to_recordset(i.media) as m(id uuid, "mediaId" uuid, position int, "altText" text)
    ), tagged as (
      insert into post_tags (post_id, tag, account_id)
      select distinct i.id, t.tag, i."accountId" from input i cross join lateral unnest(i.tags) as t(tag)
    ), worded as (
      insert into post_words (post_id, words) select i.id, ${wordsOf('i."accountId"::text', 'i.text')} from input i
    ), opened as (
      insert into attempts (id, post_id, step, index, state, token, started_at)
      select "attemptId", id, 'head', 0, 'sending', token, "createdAt" from input where claim is not null
    )
    select g.id, s.ai_rewrite_status, g.stop, g.is_gone from given g left join stored s on s.id = g.id`,
});

type NewRow = RecordOf<typeof POST>;

/** Inserts the posts of requests of an account that arrive together with one statement; each request succeeds or fails alone. */
export interface PostInserts {
  /** @param posts of one request. @returns the rows of all requests of the statement */
  add(posts: readonly NewRow[]): Promise<readonly RowOf<typeof insertPosts>[]>;
}

export interface WithPostInserts {
  readonly postInserts: PostInserts;
}

/** Most requests in one statement, and most posts of a request that shares one. */
const TOGETHER = { requests: 50, posts: 4 } as const;

export function createPostInserts(context: Context): PostInserts {
  return createGroupedBatcher<readonly NewRow[], readonly RowOf<typeof insertPosts>[]>(
    ([first]) => first?.accountId ?? '',
    async (requests) => {
      const rows = await insertPosts(context.db.queries, { posts: requests.flat() });
      return requests.map(() => rows);
    },
    TOGETHER.requests,
  );
}

/** The results of storing posts, by the id of the post; one that waits is in neither. */
export interface StoredPosts {
  /** The sends of those that are sent now. */
  readonly sends: ReadonlyMap<string, ClaimedSend>;
  /** Why the others were not stored. */
  readonly refused: ReadonlyMap<string, ItemError>;
}

export async function storePosts(
  context: Context & WithPostInserts,
  em: SqlEntityManager,
  posts: readonly NewPost[],
  { recordId, claim }: { readonly recordId: string | null; readonly claim: string },
): Promise<StoredPosts> {
  const refused = new Map<string, ItemError>();
  const sends = new Map(
    posts.filter(({ status }) => status === 'processing').map((post) => [post.post.id, newSend(context, post, claim)]),
  );
  if (posts.length === 0) return { sends, refused };
  const input = posts.map((post) => inputRow(context, post, sends.get(post.post.id), recordId));
  const isAlone = em.isInTransaction() || input.length > TOGETHER.posts;
  const rows = isAlone ? await insertPosts(em, { posts: input }) : await context.postInserts.add(input);
  const stored = new Map(rows.map((row) => [row.id, row]));
  for (const { post } of posts) {
    const row = stored.get(post.id);
    if (row === undefined) throw new Error(`the post ${post.id} has no row`);
    const send = sends.get(post.id);
    const refusal = refusalOf(post, row);
    if (refusal !== null) {
      refused.set(post.id, refusal);
      sends.delete(post.id);
    } else if (send !== undefined) {
      sends.set(post.id, { ...send, post: { ...send.post, aiRewriteStatus: row.ai_rewrite_status } });
    }
  }
  return { sends, refused };
}

/** Why a post was not stored; null when it was. */
function refusalOf({ connectionSlug }: SendablePost, { stop, is_gone: isGone }: RowOf<typeof insertPosts>) {
  if (isGone) return deletedMeanwhile(connectionSlug);
  return stop === null ? null : stoppedError(stop);
}

/** The error of a post whose connection was deleted after its request had found it. */
export function deletedMeanwhile(slug: string): ItemError {
  return { code: 'invalid_connection', message: `The connection "${slug}" was deleted during the request.` };
}

function newSend(context: Context, { post, connection }: NewPost, claim: string): ClaimedSend {
  const attempt = headAttempt(context, post.platformId, post.createdAt);
  return { post, connection, claim, lease: leaseNow(context.clock), attempt, interrupted: false };
}

function inputRow(
  context: Context,
  { post, connection, status, rewrite, slotAt, media, approvalId, createdBy, policyId }: NewPost,
  send: ClaimedSend | undefined,
  idempotencyRecordId: string | null,
): NewRow {
  return {
    ...post,
    connectionId: connection.id,
    status,
    rewrite,
    slotAt,
    claim: send?.claim ?? null,
    claimedUntil: send?.lease.until ?? null,
    attemptId: send?.attempt?.id ?? null,
    token: send?.attempt?.token ?? null,
    idempotencyRecordId,
    approvalId,
    createdByKind: createdBy.kind,
    createdById: createdBy.id,
    policyId,
    media: media.map(({ id, altText }, position) => ({ id: context.random.uuid(), mediaId: id, position, altText })),
  };
}
