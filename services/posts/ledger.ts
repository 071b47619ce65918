/**
 * Reads and writes the rows of the send ledger, one per part: opened before the platform is called, closed after
 * (docs/contract/posts.md#interrupted-sends).
 */
import { query } from '../../entities/query.ts';
import type { AttemptState, AttemptStep } from '../../entities/attempt.ts';
import type { ErrorCode } from '../../errors/codes.ts';
import { platformOf } from '../../platforms/registry.ts';
import type { Json, JsonObject, Published } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';
import type { ClaimedSend, OpenAttempt } from './claimed-send.ts';
import type { PostPart, PublishedPart } from './post-parts.ts';
import type { PartError, PartOutcome } from './send-part.ts';
import { leaseFrom } from './send-times.ts';

/** A closed row of the current send. */
export interface LedgerRow {
  readonly step: AttemptStep;
  readonly index: number;
  readonly state: AttemptState;
  readonly published: Published | null;
  readonly error: PartError | null;
}

interface Row {
  step: AttemptStep;
  index: number;
  state: AttemptState;
  platform_post_id: string | null;
  url: string | null;
  ref: JsonObject | null;
  error_code: ErrorCode | null;
  error_message: string | null;
}

// Opening a part extends the claim, and inserts nothing if the claim was lost. A thread may take longer than a lease,
// and two workers must never publish parts of the same post.
const OPEN_PART = `
  with held as (
    update posts set claimed_until = $9 where id = $2 and claim = $8 and status = 'processing' returning id
  )
  insert into attempts (id, post_id, generation, step, index, state, token, started_at)
  select $1, id, $3, $4, $5, 'sending', $6, $7 from held returning id`;

const KEEP_PREPARED = `
  with held as (
    update posts set claimed_until = $5 where id = $2 and claim = $4 and status = 'processing' returning id
  )
  update attempts a set prepared = $6::jsonb, started_at = $3 from held where a.id = $1 returning a.id`;

// The token of a delete row is the claim it was made under. A row that a dead process left open is reused.
const OPEN_REMOVAL = `
  with held as (
    update posts set claimed_until = $9 where id = $2 and claim = $7::uuid and status in ('processing', 'sent') returning id
  ), resumed as (
    update attempts a set token = $8 from held
    where a.post_id = held.id and a.generation = $3 and a.step = 'delete' and a.index = $4 and a.state = 'sending'
    returning a.id
  ), opened as (
    insert into attempts (id, post_id, generation, step, index, state, token, started_at, platform_post_id)
    select $1, id, $3, 'delete', $4, 'sending', $8, $5, $6 from held where not exists (select 1 from resumed)
    returning id
  )
  select id from resumed union all select id from opened`;

const CLOSE_REMOVALS = `
  update attempts set state = $3, settled_at = $4, error_code = $5, error_message = $6
  where post_id = $1 and generation = $2 and step = 'delete' and state = 'sending'`;

const CLOSE = `
  update attempts set state = $2, settled_at = $3, platform_post_id = coalesce($4, platform_post_id), url = $5, ref = $6::jsonb,
    error_code = $7, error_message = $8
  where id = $1`;

const CLOSED_ROWS = `
  select step, index, state, platform_post_id, url, ref, error_code, error_message from attempts
  where post_id = $1 and generation = $2 and state <> 'sending' order by id`;

const UNKNOWN_OUTCOME = `
  select min(started_at) as since from attempts
  where post_id = $1 and generation < $2 and step = $3 and index = $4 and state = 'unknown'`;

/** Instant of the earliest previous send that may have published the part with an unknown outcome; null for none. */
export async function unknownSince(
  context: Context,
  post: { readonly id: string; readonly generation: number },
  { step, index }: Pick<PostPart, 'step' | 'index'>,
): Promise<Date | null> {
  if (post.generation === 0) return null;
  const [row] = await query<{ since: string | null }>(context.db.em(), UNKNOWN_OUTCOME, [
    post.id,
    post.generation,
    step,
    index,
  ]);
  return row === undefined || row.since === null ? null : new Date(row.since);
}

/** The token that identifies a repeated call for a part, in the format that its platform requires. */
export function tokenFor(context: Context, platformId: string, startedAt: Date, attemptId: string): string {
  return platformOf(context.platforms, platformId).makeToken?.(startedAt, attemptId) ?? attemptId;
}

/** Thrown when another worker has taken over the send; this process must stop working on it. */
export class ClaimLost extends Error {
  override name = 'ClaimLost';
}

/** Opens the row of a part before it is published. */
export async function openPart(context: Context, claimed: ClaimedSend, part: PostPart): Promise<OpenAttempt> {
  const { post, claim } = claimed;
  const id = context.random.uuid();
  const startedAt = context.clock.now();
  const token = tokenFor(context, post.platformId, startedAt, id);
  const { step, index } = part;
  const parameters = [id, post.id, post.generation, step, index, token, startedAt, claim, leaseFrom(startedAt)];
  const opened = await query(context.db.em(), OPEN_PART, parameters);
  if (opened.length === 0) throw new ClaimLost(`the claim on post ${post.id} was lost`);
  return { id, step, index, token, startedAt, prepared: null };
}

/** Stores the result of uploading the images. From this instant on, the part may be published. */
export async function keepPrepared(
  context: Context,
  claimed: ClaimedSend,
  attempt: OpenAttempt,
  prepared: Json,
): Promise<OpenAttempt> {
  const startedAt = context.clock.now();
  const { post, claim } = claimed;
  const parameters = [attempt.id, post.id, startedAt, claim, leaseFrom(startedAt), JSON.stringify(prepared)];
  const kept = await query(context.db.em(), KEEP_PREPARED, parameters);
  if (kept.length === 0) throw new ClaimLost(`the claim on post ${post.id} was lost`);
  return { ...attempt, prepared, startedAt };
}

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
  const { index, published } = part;
  const made = [context.random.uuid(), id, generation, index, now, published.platformPostId];
  const [row] = await query<{ id: string }>(context.db.em(), OPEN_REMOVAL, [...made, claim, claim, leaseFrom(now)]);
  if (row === undefined) throw new ClaimLost(`the claim on post ${id} was lost`);
  return row.id;
}

/** Closes the delete rows that an earlier process left open and that no process can finish. */
export async function closeRemovals(
  context: Context,
  post: { readonly id: string; readonly generation: number },
  outcome: Extract<PartOutcome, { error: PartError }>,
): Promise<void> {
  const { code, message } = storable(outcome.error);
  const parameters = [post.id, post.generation, outcome.state, context.clock.now(), code, message];
  await query(context.db.em(), CLOSE_REMOVALS, parameters);
}

/** Closes a row with the outcome of its call. */
export async function closeRow(context: Context, attemptId: string, outcome: PartOutcome | null): Promise<void> {
  const published = outcome?.state === 'accepted' ? outcome.published : null;
  const error = outcome === null || outcome.state === 'accepted' ? null : storable(outcome.error);
  await query(context.db.em(), CLOSE, [
    attemptId,
    outcome?.state ?? 'accepted',
    context.clock.now(),
    published?.platformPostId ?? null,
    published?.url ?? null,
    published?.ref === undefined ? null : JSON.stringify(published.ref),
    error?.code ?? null,
    error?.message ?? null,
  ]);
}

/** The closed rows of the current send, oldest first. */
export async function closedRows(
  context: Context,
  post: { readonly id: string; readonly generation: number },
): Promise<LedgerRow[]> {
  const rows = await query<Row>(context.db.em(), CLOSED_ROWS, [post.id, post.generation]);
  return rows.map((row) => ({
    step: row.step,
    index: row.index,
    state: row.state,
    published: publishedOf(row),
    error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' },
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

function publishedOf(row: Row): Published | null {
  if (row.state !== 'accepted' || row.platform_post_id === null) return null;
  return { platformPostId: row.platform_post_id, url: row.url, ...(row.ref === null ? {} : { ref: row.ref }) };
}

/** Removes NULs and unpaired surrogates from a platform's message, because the database would reject the row. */
export function storable(error: PartError): PartError {
  return { code: error.code, message: storableText(error.message) };
}

/** A platform's message in a form that the database can store. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '');
}
