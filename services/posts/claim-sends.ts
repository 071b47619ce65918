/**
 * Claims posts for this process: those that are due, and those whose sender never came back. Rows
 * that another worker is claiming are skipped, not waited for, and the ledger row is committed with
 * the claim, before any platform is called (D16).
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { query } from '../../entities/query.ts';
import type { Json, PartStep } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';
import type { ClaimedSend, OpenAttempt } from './claimed-send.ts';
import { tokenFor } from './ledger.ts';
import { leaseFrom } from './send-times.ts';

interface ClaimedRow {
  id: string;
  account_id: string;
  profile_id: string | null;
  connection_id: string;
  connection_slug: string;
  platform_id: string;
  mode: 'live' | 'test';
  text: string;
  thread: string[];
  first_comment: string | null;
  media_count: number;
  generation: number;
  tags: string[];
  scheduled_for: string | null;
  created_at: string;
  platform_account_id: string;
  handle: string;
  credentials: string | null;
}

interface InterruptedRow extends ClaimedRow {
  /** Null when the earlier process ended between two parts. */
  attempt_id: string | null;
  step: PartStep;
  index: number;
  token: string;
  started_at: string;
  prepared: Json | null;
}

const CLAIMED = `p.id, p.account_id, p.profile_id, p.connection_id, p.connection_slug, p.platform_id, p.mode, p.text, p.thread,
  p.first_comment, p.generation, p.tags, (select count(*)::int from post_media m where m.post_id = p.id) as media_count, p.scheduled_for, p.created_at, c.platform_account_id, c.handle, c.credentials`;

const CLAIM_DUE = `
  with due as (
    select id from posts where status = 'scheduled' and scheduled_for <= $1
    order by scheduled_for, id limit $2 for update skip locked
  )
  update posts p set status = 'processing', claim = $3, claimed_until = $4
  from due, connections c where p.id = due.id and c.id = p.connection_id
  returning ${CLAIMED}`;

const OPEN_ATTEMPTS = `
  insert into attempts (id, post_id, generation, step, index, state, token, started_at)
  select i.id, i."postId", i.generation, 'head', 0, 'sending', i.token, $2
  from jsonb_to_recordset($1::jsonb) as i(id uuid, "postId" uuid, generation int, token text)`;

const CLAIM_INTERRUPTED = `
  with lost as (
    select id from posts where status = 'processing' and ($5 or claimed_until <= $1)
    order by claimed_until limit $2 for update skip locked
  ), claimed as (
    update posts p set claim = $3, claimed_until = $4
    from lost, connections c
    where p.id = lost.id and c.id = p.connection_id
    returning ${CLAIMED}
  )
  select claimed.*, a.id as attempt_id, a.step, a.index, a.token, a.started_at, a.prepared
  from claimed left join attempts a
    on a.post_id = claimed.id and a.generation = claimed.generation and a.state = 'sending' and a.step <> 'delete'`;

/** Claims up to `limit` due posts, the longest due first. */
export async function claimDueSends(context: Context, limit: number): Promise<ClaimedSend[]> {
  const now = context.clock.now();
  const claim = context.random.uuid();
  return context.db.em().transactional(async (em: SqlEntityManager) => {
    const rows = await query<ClaimedRow>(em, CLAIM_DUE, [now, limit, claim, leaseFrom(now)]);
    if (rows.length === 0) return [];
    const sends = rows.map((row) => claimedSend(row, claim, newAttempt(context, row, now), false));
    const attempts = sends.map(({ post, attempt }) => ({ ...attempt, postId: post.id, generation: post.generation }));
    await query(em, OPEN_ATTEMPTS, [JSON.stringify(attempts), now]);
    return sends.toSorted((a, b) => Number(a.post.scheduledFor) - Number(b.post.scheduledFor));
  });
}

/**
 * Claims sends that were begun and never settled.
 *
 * @param evenLeased true at the start of the embedded database's only process: then nobody else can
 *   be sending, whatever the leases say
 */
export async function claimInterruptedSends(
  context: Context,
  limit: number,
  evenLeased = false,
): Promise<ClaimedSend[]> {
  const now = context.clock.now();
  const claim = context.random.uuid();
  const parameters = [now, limit, claim, leaseFrom(now), evenLeased];
  const rows = await query<InterruptedRow>(context.db.em(), CLAIM_INTERRUPTED, parameters);
  return rows.map((row) => {
    const { attempt_id: id, step, index, token, started_at: startedAt, prepared } = row;
    const attempt = id === null ? null : { id, step, index, token, startedAt: new Date(startedAt), prepared };
    return claimedSend(row, claim, attempt, true);
  });
}

const CLAIM_ONE = `
  update posts p set status = 'processing', claim = $3, claimed_until = $4, scheduled_for = null,
    generation = p.generation + $5, error_code = null, error_message = null
  from connections c
  where p.id = $1 and p.status = $2 and c.id = p.connection_id and c.deleted_at is null
  returning ${CLAIMED}`;

/**
 * Claims one post that is to go out now, in the caller's transaction.
 *
 * @param from state it must be in; a failed post begins its next send, with a ledger of its own
 * @returns null when it is in another state, or its connection is gone
 */
export async function claimOne(
  context: Context,
  em: SqlEntityManager,
  postId: string,
  from: 'draft' | 'failed',
): Promise<ClaimedSend | null> {
  const now = context.clock.now();
  const claim = context.random.uuid();
  const parameters = [postId, from, claim, leaseFrom(now), from === 'failed' ? 1 : 0];
  const [row] = await query<ClaimedRow>(em, CLAIM_ONE, parameters);
  if (row === undefined) return null;
  const attempt = newAttempt(context, row, now);
  await query(em, OPEN_ATTEMPTS, [JSON.stringify([{ ...attempt, postId: row.id, generation: row.generation }]), now]);
  return claimedSend(row, claim, attempt, false);
}

/** When the next scheduled post falls due; null when none waits. */
export async function nextDueAt(context: Context): Promise<Date | null> {
  const sql = `select min(scheduled_for) as due from posts where status = 'scheduled'`;
  const [row] = await query<{ due: string | null }>(context.db.em(), sql);
  return row?.due == null ? null : new Date(row.due);
}

function newAttempt(context: Context, row: ClaimedRow, now: Date): OpenAttempt {
  const id = context.random.uuid();
  const token = tokenFor(context, row.platform_id, now, id);
  return { id, step: 'head', index: 0, token, startedAt: now, prepared: null };
}

function claimedSend(row: ClaimedRow, claim: string, attempt: OpenAttempt | null, interrupted: boolean): ClaimedSend {
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
      mediaCount: row.media_count,
      generation: row.generation,
      tags: row.tags,
      scheduledFor: row.scheduled_for === null ? null : new Date(row.scheduled_for),
      createdAt: new Date(row.created_at),
    },
    connection: {
      id: row.connection_id,
      platformAccountId: row.platform_account_id,
      handle: row.handle,
      credentials: row.credentials,
    },
    claim,
    attempt,
    interrupted,
  };
}
