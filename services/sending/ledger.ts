/**
 * Reads and writes the rows of the send ledger, one per part: opened before the platform is called, closed after
 * (docs/contract/posts.md#interrupted-sends).
 */
import { type ItemError, storedError } from '../../errors/item-error.ts';
import { columns } from '../../entities/column-lists.ts';
import { type RowOf, statement } from '../../entities/statement.ts';
import type { AttemptState, AttemptStep } from '../../entities/attempt.ts';
import type { Json, Published } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';
import { type ClaimedSend, type OpenAttempt, tokenFor } from './claimed-send.ts';
import type { PostPart, PublishedPart } from './post-parts.ts';
import type { PartOutcome } from './send-part.ts';
import { storableText } from '../storable-text.ts';
import { storeOutcome, untilDatabaseAnswers } from '../until-database-answers.ts';
import { type Lease, leaseLeft, leaseNow, PART_MS, SEND_TIMES } from './send-times.ts';

/** A closed row of the current send. */
export interface LedgerRow {
  readonly step: AttemptStep;
  readonly index: number;
  readonly state: AttemptState;
  readonly published: Published | null;
  readonly error: ItemError | null;
}

// Opening a part extends the claim, and inserts nothing if the claim was lost. A thread may take longer than a lease,
// and two workers must never publish parts of the same post. The row exists already when the answer to the first try was
// lost.
const insertPart = statement('open the ledger row of a part', {
  parameters: {
    id: 'uuid',
    postId: 'uuid',
    generation: 'int',
    step: 'text',
    index: 'int',
    token: 'text',
    startedAt: 'timestamptz',
    claim: 'uuid',
    claimedUntil: 'timestamptz',
  },
  result: { id: 'uuid' },
  sql: ({ id, postId, generation, step, index, token, startedAt, claim, claimedUntil }) => `
    with held as (
      update posts set claimed_until = ${claimedUntil}
      where id = ${postId} and claim = ${claim} and status = 'processing' returning id
    )
    insert into attempts (id, post_id, generation, step, index, state, token, started_at)
    select ${id}, id, ${generation}, ${step}, ${index}, 'sending', ${token}, ${startedAt} from held
    on conflict (id) do update set started_at = excluded.started_at, token = excluded.token returning id`,
});

const updatePrepared = statement('keep the uploaded images of a part', {
  parameters: {
    id: 'uuid',
    postId: 'uuid',
    startedAt: 'timestamptz',
    claim: 'uuid',
    claimedUntil: 'timestamptz',
    prepared: 'jsonb',
  },
  result: { id: 'uuid' },
  sql: ({ id, postId, startedAt, claim, claimedUntil, prepared }) => `
    with held as (
      update posts set claimed_until = ${claimedUntil}
      where id = ${postId} and claim = ${claim} and status = 'processing' returning id
    )
    update attempts a set prepared = ${prepared}, started_at = ${startedAt} from held where a.id = ${id} returning a.id`,
});

const renewClaim = statement('renew a claim on a post', {
  parameters: { postId: 'uuid', claim: 'uuid', claimedUntil: 'timestamptz' },
  result: { id: 'uuid' },
  sql: ({ postId, claim, claimedUntil }) => `
    update posts set claimed_until = ${claimedUntil}
    where id = ${postId} and claim = ${claim} and status = 'processing' returning id`,
});

// Changes nothing once another process has taken over: the row is then part of what that one does.
const updateRow = statement('close a ledger row', {
  parameters: {
    id: 'uuid',
    state: 'text',
    now: 'timestamptz',
    platformPostId: 'text?',
    url: 'text?',
    ref: 'jsonb?',
    code: 'text?',
    message: 'text?',
    mayHaveArrived: 'boolean?',
    claim: 'uuid',
  },
  sql: ({ id, state, now, platformPostId, url, ref, code, message, mayHaveArrived, claim }) => `
    update attempts a set state = ${state}, settled_at = ${now},
      platform_post_id = coalesce(${platformPostId}, a.platform_post_id), url = ${url}, ref = ${ref},
      error_code = ${code}, error_message = ${message}, may_have_arrived = ${mayHaveArrived}
    from posts p where a.id = ${id} and p.id = a.post_id and p.claim = ${claim}`,
});

const CLOSED = columns('attempts', [
  'step',
  'index',
  'state',
  'platform_post_id',
  'url',
  'ref',
  'error_code',
  'error_message',
]);

const selectClosed = statement('read the closed ledger rows of a send', {
  parameters: { postId: 'uuid', generation: 'int' },
  result: CLOSED.types,
  sql: ({ postId, generation }) => `
    select ${CLOSED.sql} from attempts
    where post_id = ${postId} and generation = ${generation} and state <> 'sending' order by id`,
});

/** Thrown when another worker has taken over the send; this process must stop working on it. */
export class ClaimLost extends Error {
  override name = 'ClaimLost';
}

/** An open row, and the lease of the claim that it was stored under. */
export type HeldAttempt = OpenAttempt & Pick<ClaimedSend, 'lease'>;

/**
 * Renews the claim before the call that publishes a part, when its lease could end during the call. The statement of the
 * claim may have waited for so long that another process has taken the post over.
 *
 * @returns the lease that holds then
 * @throws ClaimLost when it has
 */
export async function keepClaim(context: Context, { post, claim }: ClaimedSend, held: Lease): Promise<Lease> {
  let lease = held;
  // The renewal may wait for long, too.
  while (leaseLeft(context.clock, lease) < PART_MS) {
    lease = await untilDatabaseAnswers(context, SEND_TIMES.leaseMs, async () => {
      const renewed = leaseNow(context.clock);
      const values = { postId: post.id, claim, claimedUntil: renewed.until };
      if ((await renewClaim(context.db.queries, values)).length === 0) throw claimLost(post.id);
      return renewed;
    });
  }
  return lease;
}

function claimLost(postId: string): ClaimLost {
  return new ClaimLost(`the claim on post ${postId} was lost`);
}

/** Opens the row of a part before it is published. */
export async function openPart(context: Context, claimed: ClaimedSend, part: PostPart): Promise<HeldAttempt> {
  const { post, claim } = claimed;
  const { step, index } = part;
  const id = context.random.uuid();
  return untilDatabaseAnswers(context, SEND_TIMES.leaseMs, async () => {
    const startedAt = context.clock.now();
    const lease = leaseNow(context.clock);
    const token = tokenFor(context, post.platformId, startedAt, id);
    const opened = await insertPart(context.db.queries, {
      id,
      postId: post.id,
      generation: post.generation,
      step,
      index,
      token,
      startedAt,
      claim,
      claimedUntil: lease.until,
    });
    if (opened.length === 0) throw claimLost(post.id);
    return { id, step, index, token, startedAt, prepared: null, lease };
  });
}

/** Stores the result of uploading the images. From this instant on, the part may be published. */
export async function keepPrepared(
  context: Context,
  claimed: ClaimedSend,
  attempt: OpenAttempt,
  prepared: Json,
): Promise<HeldAttempt> {
  const { post, claim } = claimed;
  return untilDatabaseAnswers(context, SEND_TIMES.leaseMs, async () => {
    const startedAt = context.clock.now();
    const lease = leaseNow(context.clock);
    const values = { id: attempt.id, postId: post.id, startedAt, claim, claimedUntil: lease.until, prepared };
    const kept = await updatePrepared(context.db.queries, values);
    if (kept.length === 0) throw claimLost(post.id);
    return { ...attempt, prepared, startedAt, lease };
  });
}

/** Closes a row with the outcome of its call, while the claim is held. */
export async function closeRow(
  context: Context,
  { attemptId, claim }: { readonly attemptId: string; readonly claim: string },
  outcome: PartOutcome | null,
): Promise<void> {
  const published = outcome?.state === 'accepted' ? outcome.published : null;
  const error = outcome === null || outcome.state === 'accepted' ? null : storable(outcome.error);
  const row = {
    id: attemptId,
    claim,
    state: outcome?.state ?? 'accepted',
    now: context.clock.now(),
    platformPostId: published?.platformPostId ?? null,
    url: published?.url ?? null,
    ref: published?.ref ?? null,
    code: error?.code ?? null,
    message: error?.message ?? null,
    mayHaveArrived: mayHaveArrived(outcome),
  };
  await storeOutcome(context, () => updateRow(context.db.em(), row));
}

/** The closed rows of the current send, oldest first. */
export async function closedRows(
  context: Context,
  post: { readonly id: string; readonly generation: number },
): Promise<LedgerRow[]> {
  const rows = await selectClosed(context.db.queries, { postId: post.id, generation: post.generation });
  return rows.map((row) => ({
    step: row.step,
    index: row.index,
    state: row.state,
    published: publishedOf(row),
    error: storedError(row),
  }));
}

/** Published parts according to closed rows: the accepted parts minus the deleted ones. */
export function publishedParts(rows: readonly LedgerRow[]): PublishedPart[] {
  const gone = new Set(
    rows.filter(({ step, state }) => step === 'delete' && state === 'accepted').map(({ index }) => index),
  );
  return rows
    .flatMap(({ step, published }) => (published === null || step === 'delete' ? [] : [published]))
    .map((published, index) => ({ index, published }))
    .filter(({ index }) => !gone.has(index));
}

function publishedOf(row: RowOf<typeof selectClosed>): Published | null {
  if (row.state !== 'accepted' || row.platform_post_id === null) return null;
  return { platformPostId: row.platform_post_id, url: row.url, ...(row.ref === null ? {} : { ref: row.ref }) };
}

/** Whether an unavailable call may still arrive; null for every other outcome. */
export function mayHaveArrived(outcome: PartOutcome | null): boolean | null {
  return outcome?.state === 'unavailable' ? (outcome.mayHaveArrived ?? false) : null;
}

/** Removes NULs and unpaired surrogates from a platform's message, because the database would reject the row. */
export function storable(error: ItemError): ItemError {
  return { code: error.code, message: storableText(error.message) };
}
