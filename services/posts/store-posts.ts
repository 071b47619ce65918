/** Inserts new posts. Posts to send now are inserted as claimed, with their ledger row, in the same statement. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { RewriteStatus } from '../../entities/post.ts';
import { query } from '../../entities/query.ts';
import type { Context } from '../context.ts';
import type { PostTarget } from '../connections/resolve-slugs.ts';
import type { ClaimedSend } from './claimed-send.ts';
import { tokenFor } from './ledger.ts';
import { wordsOf } from './post-words.ts';
import { leaseFrom } from './send-times.ts';

/** A post that passed all checks. */
export interface NewPost {
  readonly accountId: string;
  readonly target: PostTarget;
  readonly mode: 'live' | 'test';
  readonly text: string;
  readonly thread: readonly string[];
  readonly firstComment: string | null;
  readonly tags: readonly string[];
  readonly rewrite: boolean | null;
  /** The decision on the AI rewrite; null for a post that waits. */
  readonly rewriteStatus: RewriteStatus | null;
  readonly media: readonly { readonly id: string; readonly altText: string | null }[];
  /** Initial status: sent now, at its time, or kept as a draft. */
  readonly status: 'processing' | 'scheduled' | 'draft';
  readonly scheduledFor: Date | null;
  /** The queue slot that it takes, which is also its time; null outside the queue. */
  readonly slotAt: Date | null;
  /** The fee for sending it, for a post that is sent now. */
  readonly feeCents: number;
}

/** A stored post with its send; the send is null when the post waits. */
export interface StoredPost {
  readonly id: string;
  readonly claimed: ClaimedSend | null;
}

// Foreign keys are checked at the end of a statement, so one statement can insert all rows of a post.
const STORE = `
  with input as (
    select * from jsonb_to_recordset($1::jsonb) as i(
      id uuid, "accountId" uuid, "connectionId" uuid, "profileId" uuid, slug text, "platformId" text, mode text, status text,
      text text, thread text[], "firstComment" text, rewrite boolean, "rewriteStatus" text, tags text[], "scheduledFor" timestamptz, "slotAt" timestamptz, "feeCents" int,
      "createdAt" timestamptz, claim uuid, "claimedUntil" timestamptz, "attemptId" uuid, token text,
      "idempotencyRecordId" uuid, media jsonb)
  ), stored as (
    insert into posts (id, account_id, connection_id, profile_id, connection_slug, platform_id, mode, status,
      text, original_text, thread, first_comment, rewrite, ai_rewrite_status, tags, scheduled_for, queued, slot_at, fee_cents, created_at, claim, claimed_until,
      tries, idempotency_record_id)
    select id, "accountId", "connectionId", "profileId", slug, "platformId", mode, status,
      text, text, thread, "firstComment", rewrite, "rewriteStatus", tags, "scheduledFor", "slotAt" is not null, "slotAt", "feeCents", "createdAt", claim, "claimedUntil",
      (claim is not null)::int, "idempotencyRecordId" from input
  ), images as (
    insert into post_media (id, post_id, media_id, position, alt_text)
    select m.id, i.id, m."mediaId", m.position, m."altText" from input i
    cross join lateral jsonb_to_recordset(i.media) as m(id uuid, "mediaId" uuid, position int, "altText" text)
  ), tagged as (
    insert into post_tags (post_id, tag, account_id)
    select distinct i.id, t.tag, i."accountId" from input i cross join lateral unnest(i.tags) as t(tag)
  ), worded as (
    insert into post_words (post_id, words) select i.id, ${wordsOf('i."accountId"::text', 'i.text')} from input i
  )
  insert into attempts (id, post_id, step, index, state, token, started_at)
  select "attemptId", id, 'head', 0, 'sending', token, "createdAt" from input where claim is not null`;

/** Gives each new post its id and, if it is sent now, its claim. Writes nothing. */
export function preparePosts(context: Context, posts: readonly NewPost[]): StoredPost[] {
  const now = context.clock.now();
  return posts.map((post) => {
    const id = context.random.uuid();
    return { id, claimed: post.status === 'processing' ? claimNew(context, id, now, post) : null };
  });
}

/** Inserts prepared posts in one statement. */
export async function storePosts(
  context: Context,
  em: SqlEntityManager,
  posts: readonly NewPost[],
  drawn: readonly StoredPost[],
  idempotencyRecordId: string | null,
): Promise<void> {
  if (posts.length === 0) return;
  const now = context.clock.now();
  const rows = posts.map((post, index) =>
    inputRow(context, post, drawn[index] as StoredPost, now, idempotencyRecordId),
  );
  await query(em, STORE, [JSON.stringify(rows)]);
}

function claimNew(context: Context, id: string, now: Date, post: NewPost): ClaimedSend {
  const { target } = post;
  const attemptId = context.random.uuid();
  return {
    post: {
      id,
      accountId: post.accountId,
      profileId: target.profileId,
      connectionSlug: target.slug,
      platformId: target.platformId,
      mode: post.mode,
      text: post.text,
      thread: post.thread,
      firstComment: post.firstComment,
      rewriteStatus: post.rewriteStatus,
      mediaCount: post.media.length,
      tags: post.tags,
      scheduledFor: null,
      createdAt: now,
      generation: 0,
      repeats: 0,
      firstDueAt: null,
      feeCents: post.feeCents,
    },
    connection: target,
    claim: context.random.uuid(),
    attempt: {
      id: attemptId,
      step: 'head',
      index: 0,
      token: tokenFor(context, target.platformId, now, attemptId),
      startedAt: now,
      prepared: null,
    },
    interrupted: false,
  };
}

function inputRow(
  context: Context,
  post: NewPost,
  { id, claimed }: StoredPost,
  now: Date,
  idempotencyRecordId: string | null,
): Record<string, unknown> {
  const { target } = post;
  return {
    id,
    accountId: post.accountId,
    connectionId: target.id,
    profileId: target.profileId,
    slug: target.slug,
    platformId: target.platformId,
    mode: post.mode,
    status: post.status,
    text: post.text,
    thread: post.thread,
    firstComment: post.firstComment,
    rewrite: post.rewrite,
    rewriteStatus: post.rewriteStatus,
    tags: post.tags,
    scheduledFor: post.scheduledFor,
    slotAt: post.slotAt,
    feeCents: post.feeCents,
    createdAt: now,
    claim: claimed?.claim ?? null,
    claimedUntil: claimed === null ? null : leaseFrom(now),
    attemptId: claimed?.attempt?.id ?? null,
    token: claimed?.attempt?.token ?? null,
    idempotencyRecordId,
    media: post.media.map((image, position) => ({
      id: context.random.uuid(),
      mediaId: image.id,
      position,
      altText: image.altText,
    })),
  };
}
