/**
 * Writes the outcomes of sends: post, ledger row and event together, and only while the claim is still held.
 * Reschedules a scheduled post whose platform was unavailable (docs/contract/posts.md#busy-platforms).
 */
import { typed } from '../../entities/sql-types.ts';
import { type RecordOf, records, statement } from '../../entities/statement.ts';
import type { JsonObject } from '../../platforms/contract.ts';
import { platformOf } from '../../platforms/registry.ts';
import type { Context } from '../context.ts';
import { postEvent, rescheduledPayload } from '../events/post-event.ts';
import { FIRST_READ_AFTER_MS } from '../metrics/read-times.ts';
import { fannedOutAt } from '../events/subscribed-webhooks.ts';
import type { ClaimedSend } from './claimed-send.ts';
import { storableText } from '../storable-text.ts';
import { mayHaveArrived, storable } from './ledger.ts';
import { backoffUntil, repeatAt } from './back-off.ts';
import type { SendOutcome } from './send-outcome.ts';

/** A send and its outcome. */
export interface Settlement {
  readonly claimed: ClaimedSend;
  readonly outcome: SendOutcome;
}

const EVENT = {
  id: 'i."eventId"',
  accountId: 'i."accountId"',
  profileId: 'i."profileId"',
  name: 'i."eventName"',
  mode: 'i.mode',
  subjectId: 'i."postId"',
};

const SEND = records({
  postId: 'uuid',
  claim: 'uuid',
  status: 'text',
  url: 'text?',
  platformPostId: 'text?',
  errorCode: 'text?',
  errorMessage: 'text?',
  threadCount: 'int',
  hasFirstComment: 'boolean',
  settledAt: 'timestamptz',
  attemptId: 'uuid?',
  state: 'text?',
  partUrl: 'text?',
  partId: 'text?',
  ref: 'jsonb?',
  partErrorCode: 'text?',
  partErrorMessage: 'text?',
  mayHaveArrived: 'boolean?',
  eventId: 'uuid',
  accountId: 'uuid',
  profileId: 'uuid?',
  eventName: 'text',
  mode: 'text',
  payload: typed<JsonObject>('jsonb'),
  chargeId: 'uuid?',
  platformId: 'text?',
  cents: 'int?',
  connectionId: 'uuid',
  backoffUntil: 'timestamptz?',
  firstReadAt: 'timestamptz?',
  repeatAt: 'timestamptz?',
  reconnectReason: 'text?',
  refusedCredential: 'text?',
  acceptedCredential: 'text?',
});

// One statement is one transaction, so a post's rows are updated all together or not at all. A process that has
// recovered its own late send may settle both in one batch. Rows are therefore matched by the claim and not by the post
// alone. A credential that was refused or accepted says something about the connection only while it is stored: the account
// may have been connected again during the send. A repeat locks its connection: deleting a connection cancels its waiting posts, and would miss a later repeat.
const settle = statement('settle sends', {
  parameters: { sends: SEND },
  result: { id: 'uuid', claim: 'uuid' },
  sql: ({ sends }) => `
    with input as (select * from ${sends}), by_connection as (
      select "connectionId", max("backoffUntil") as until,
        jsonb_object_agg("refusedCredential", "reconnectReason") filter (where "refusedCredential" is not null) as refusals,
        array_agg("acceptedCredential") as accepted, max("settledAt") as at,
        bool_or("repeatAt" is not null) as repeats
      from input group by 1
    ), changing as (
      select s.* from by_connection s join connections c on c.id = s."connectionId" and c.deleted_at is null
      where s.until is not null or s.refusals is not null or s.repeats
        or (c.reconnect_told_by = 'send' and c.credentials = any(s.accepted))
      order by c.id for no key update of c
    ), settled as (
      update posts p set status = i.status, url = i.url, platform_post_id = i."platformPostId",
        error_code = i."errorCode", error_message = i."errorMessage",
        thread_count = i."threadCount", has_first_comment = i."hasFirstComment",
        sent_at = case when i.status = 'sent' then i."settledAt" end, next_read_at = i."firstReadAt", claim = null,
        claimed_until = case when i."errorCode" = 'outcome_unknown' and p.scheduled_for is null then i."settledAt" end,
        scheduled_for = coalesce(i."repeatAt", p.scheduled_for), slot_at = case when i."repeatAt" is null then p.slot_at end,
        generation = p.generation + (i."repeatAt" is not null)::int,
        repeats = case when i."repeatAt" is null then 0 else p.repeats + 1 end,
        first_due_at = case when i."repeatAt" is not null then coalesce(p.first_due_at, p.scheduled_for) end,
        held = i."repeatAt" is not null and p.stop_id is not null,
        stop_id = case when i."repeatAt" is not null then p.stop_id end
      from input i where p.id = i."postId" and p.claim = i.claim and p.status = 'processing'
        and (i."repeatAt" is null or i."connectionId" in (select "connectionId" from changing))
      returning p.id, i.claim
    ), ledger as (
      update attempts a set state = i.state, settled_at = i."settledAt", platform_post_id = i."partId", url = i."partUrl",
        ref = i.ref, error_code = i."partErrorCode", error_message = i."partErrorMessage",
        may_have_arrived = i."mayHaveArrived"
      from input i join settled s on s.id = i."postId" and s.claim = i.claim where a.id = i."attemptId"
    ), outbox as (
      insert into events (id, account_id, profile_id, name, mode, subject_id, payload, created_at, fanned_out_at)
      select i."eventId", i."accountId", i."profileId", i."eventName", i.mode, i."postId", i.payload, i."settledAt",
        ${fannedOutAt(EVENT, 'i."settledAt"')}
      from input i join settled s on s.id = i."postId" and s.claim = i.claim
    ), charged as (
      insert into charges (id, account_id, kind, subject_id, platform_id, cents, at)
      select i."chargeId", i."accountId", 'post', i."postId", i."platformId", i.cents, i."settledAt"
      from input i join settled s on s.id = i."postId" and s.claim = i.claim where i."chargeId" is not null
      on conflict (subject_id, kind, number) do nothing
    ), noted as (
      update connections c set backoff_until = greatest(c.backoff_until, s.until),
        reconnect_since = case when s.refusals ->> c.credentials is not null then coalesce(c.reconnect_since, s.at)
          when c.reconnect_told_by = 'send' and c.credentials = any(s.accepted) then null else c.reconnect_since end,
        reconnect_reason = case when s.refusals ->> c.credentials is not null then s.refusals ->> c.credentials
          when c.reconnect_told_by = 'send' and c.credentials = any(s.accepted) then null else c.reconnect_reason end,
        reconnect_told_by = case when s.refusals ->> c.credentials is not null then coalesce(c.reconnect_told_by, 'send')
          when c.reconnect_told_by = 'send' and c.credentials = any(s.accepted) then null else c.reconnect_told_by end
      from changing s
      where c.id = s."connectionId"
    )
    select id, claim from settled`,
});

/** @returns for each settlement whether it was written; false when the claim was lost meanwhile */
export async function settleSends(context: Context, settlements: readonly Settlement[]): Promise<boolean[]> {
  const written = await write(context, settlements, true);
  const isLeft = ({ claimed, outcome }: Settlement) =>
    !written.has(keyOf(claimed)) && repeatAt(claimed.post, outcome, context.clock.now()) !== null;
  // A repeat is not written if the connection was deleted during the send; the post then fails.
  const left = settlements.filter(isLeft);
  const failed = left.length === 0 ? new Set() : await write(context, left, false);
  return settlements.map(({ claimed }) => written.has(keyOf(claimed)) || failed.has(keyOf(claimed)));
}

async function write(
  context: Context,
  settlements: readonly Settlement[],
  mayRepeat: boolean,
): Promise<ReadonlySet<string>> {
  // In the order in which a stop locks posts. Sends end in any order, and each of the two would wait for the other.
  const inOrder = settlements.toSorted((a, b) => (a.claimed.post.id < b.claimed.post.id ? -1 : 1));
  const sends = inOrder.map((settlement) => settlementRow(context, settlement, mayRepeat));
  const settled = await settle(context.db.queries, { sends });
  return new Set(settled.map((row) => `${row.id} ${row.claim}`));
}

function keyOf({ post, claim }: ClaimedSend): string {
  return `${post.id} ${claim}`;
}

function settlementRow(context: Context, { claimed, outcome }: Settlement, mayRepeat: boolean): RecordOf<typeof SEND> {
  const { post, claim } = claimed;
  const settledAt = context.clock.now();
  const repeat = mayRepeat ? repeatAt(post, outcome, settledAt) : null;
  const error = outcome.error === null || repeat !== null ? null : storable(outcome.error);
  const status = repeat === null ? (error === null ? 'sent' : 'failed') : 'scheduled';
  const url = outcome.head?.url ?? null;
  const { threadCount, hasFirstComment } = outcome;
  return {
    postId: post.id,
    claim,
    status,
    url,
    platformPostId: outcome.head?.platformPostId ?? null,
    errorCode: error?.code ?? null,
    errorMessage: error?.message ?? null,
    threadCount,
    hasFirstComment,
    settledAt: settledAt.toISOString(),
    repeatAt: repeat?.toISOString() ?? null,
    firstReadAt: status === 'sent' ? firstReadAt(context, post.platformId, settledAt) : null,
    ...partColumns(outcome.last),
    eventId: context.random.uuid(),
    accountId: post.accountId,
    profileId: post.profileId,
    mode: post.mode,
    ...(status === 'scheduled'
      ? { eventName: 'post.rescheduled', payload: rescheduledPayload(post, repeat as Date, 'platform_unavailable') }
      : {
          eventName: `post.${status}`,
          payload: postEvent(post, { status, url, error, threadCount, hasFirstComment }),
        }),
    ...chargeColumns(context, claimed, status),
    connectionId: claimed.connection.id,
    backoffUntil: backoffUntil(settledAt, outcome.retryAfterMs)?.toISOString() ?? null,
    acceptedCredential: status === 'sent' ? (outcome.accepted ?? null) : null,
    ...(outcome.refused != null && {
      refusedCredential: outcome.refused.credential,
      reconnectReason: storableText(outcome.refused.reason),
    }),
  };
}

/** When the metrics of the post are read first; null on a platform that reports none. */
function firstReadAt({ platforms }: Context, platformId: string, sentAt: Date): string | null {
  if (platformOf(platforms, platformId).metricsBatch === undefined) return null;
  return new Date(sentAt.getTime() + FIRST_READ_AFTER_MS).toISOString();
}

/** The row of the usage ledger; none for a post that is free or did not reach its platform. */
function chargeColumns(context: Context, { post }: ClaimedSend, status: 'sent' | 'failed' | 'scheduled') {
  if (status !== 'sent' || post.feeCents === 0) return { chargeId: null };
  return { chargeId: context.random.uuid(), platformId: post.platformId, cents: post.feeCents };
}

/** The ledger row that is closed with the post; none when all rows are already closed. */
function partColumns(last: SendOutcome['last']) {
  if (last === null) return { attemptId: null };
  const { attemptId, outcome } = last;
  const published = outcome.state === 'accepted' ? outcome.published : null;
  const error = outcome.state === 'accepted' ? null : storable(outcome.error);
  return {
    attemptId,
    state: outcome.state,
    partUrl: published?.url ?? null,
    partId: published?.platformPostId ?? null,
    ref: published?.ref ?? null,
    partErrorCode: error?.code ?? null,
    partErrorMessage: error?.message ?? null,
    mayHaveArrived: mayHaveArrived(outcome),
  };
}
