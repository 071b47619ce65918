/**
 * Sends a claimed post, part by part, and says what became of it. Every part has its ledger row, so
 * that a send cut off anywhere goes on at the right part: what is up is not made again, what was open
 * is looked for, and a thread that was being taken down is taken down to its end.
 */
import {
  type AnyPlatform,
  type Json,
  type OutgoingImage,
  type PartStep,
  PlatformFailure,
  type Published,
  type SendPart,
  type Session,
} from '../../platforms/contract.ts';
import { platformOf } from '../../platforms/registry.ts';
import { openSession } from '../connections/open-session.ts';
import type { Context } from '../context.ts';
import { outgoingImages } from '../media/outgoing-images.ts';
import { platformIo } from '../platform-io.ts';
import type { ClaimedSend, OpenAttempt, SendablePost } from './claimed-send.ts';
import { ClaimLost, closedRows, closeRow, inDoubtSince, keepPrepared, type LedgerRow, openPart } from './ledger.ts';
import { partsOf, type PostPart } from './post-parts.ts';
import { removeParts } from './remove-parts.ts';
import { outcomeOf, type PartError, type PartOutcome, resumePart, sendPart } from './send-part.ts';
import { SEND_TIMES } from './send-times.ts';

/** What became of a post, and the ledger row that is closed together with it. */
export interface SendOutcome {
  /** Null when the post failed. */
  readonly head: Published | null;
  /** Why it failed; null when it was sent. */
  readonly error: PartError | null;
  /** Replies that are up. */
  readonly threadCount: number;
  readonly hasFirstComment: boolean;
  /** The row still open, and its outcome; null when all rows are closed. */
  readonly last: { readonly attemptId: string; readonly outcome: PartOutcome } | null;
}

/** A send on its way. */
interface Run {
  readonly context: Context;
  readonly claimed: ClaimedSend;
  readonly platform: AnyPlatform;
  readonly session: Session<unknown>;
  /** Parts that are up, in order. */
  readonly up: Published[];
}

/** Never throws on account of a platform; throws what the database throws. */
export async function sendPost(context: Context, claimed: ClaimedSend): Promise<SendOutcome> {
  const platform = platformOf(context.platforms, claimed.post.platformId);
  let session: Session<unknown>;
  try {
    session = openSession(context, platform, claimed.connection);
  } catch (error) {
    return withoutLogin(context, claimed, outcomeOf(error));
  }
  const closed = claimed.interrupted ? await closedRows(context, claimed.post) : [];
  const up = closed.flatMap(({ step, published }) => (published === null || step === 'delete' ? [] : [published]));
  const run: Run = { context, claimed, platform, session, up };
  const refusal = closed.find(({ step, state }) => step !== 'delete' && state !== 'accepted');
  if (refusal !== undefined) return afterRefusedRow(run, refusal, closed);
  return sendRest(run);
}

/** Nothing can be sent without a login; nor can be looked for what an earlier process may have put up, and then nobody can say. */
async function withoutLogin(
  context: Context,
  claimed: ClaimedSend,
  refusal: ReturnType<typeof outcomeOf>,
): Promise<SendOutcome> {
  const { attempt, interrupted, post } = claimed;
  const closed = interrupted ? await closedRows(context, post) : [];
  const mayBeUp =
    closed.some(({ state }) => state === 'accepted' || state === 'unknown') ||
    (interrupted && attempt !== null && callMayBeMade(context, claimed, attempt));
  const outcome = mayBeUp ? outcomeOf(new PlatformFailure('unknown', refusal.error.message)) : refusal;
  return failed(outcome.error, attempt && { attemptId: attempt.id, outcome });
}

/** What was not prepared yet proves that the call which publishes was never made. */
function callMayBeMade({ platforms }: Context, { post }: ClaimedSend, attempt: OpenAttempt): boolean {
  return attempt.prepared !== null || !needsPreparing(platformOf(platforms, post.platformId), post, attempt);
}

function needsPreparing(platform: AnyPlatform, post: SendablePost, { step }: { step: PartStep }): boolean {
  return step === 'head' && (post.mediaCount > 0 || platform.assemble !== undefined);
}

async function sendRest(run: Run): Promise<SendOutcome> {
  const { context, claimed, up } = run;
  const parts = partsOf(claimed.post);
  let open = claimed.attempt;
  for (const part of parts.slice(up.length)) {
    const resumed = claimed.interrupted && open !== null;
    const attempt: OpenAttempt = open ?? (await openPart(context, claimed, part));
    open = null;
    const outcome = await makePart(run, part, attempt, resumed);
    const last = { attemptId: attempt.id, outcome };
    if (outcome.state !== 'accepted') return afterRefusal(run, part, last);
    up.push(outcome.published);
    if (up.length === parts.length) return sent(run, last);
    await closeRow(context, attempt.id, outcome);
  }
  // Reached when every part was up before: only the settlement was missing.
  return sent(run, null);
}

async function makePart(run: Run, part: PostPart, attempt: OpenAttempt, resumed: boolean): Promise<PartOutcome> {
  const { context, claimed, platform, session, up } = run;
  const resumes = resumed && callMayBeMade(context, claimed, attempt);
  let ready: ReadyPart;
  try {
    ready = await readyPart(run, part, attempt);
  } catch (error) {
    if (error instanceof ClaimLost) throw error;
    const outcome = outcomeOf(error);
    return resumes ? outcomeOf(new PlatformFailure('unknown', outcome.error.message)) : nothingPublished(outcome);
  }
  const [root] = up;
  const parent = up.at(-1);
  const since = await inDoubtSince(context, claimed.post, part);
  const send = {
    platform,
    session,
    part: {
      ...part,
      ...ready,
      ...(since === null ? {} : { inDoubtSince: since }),
      ...(root === undefined ? {} : { root }),
      ...(parent === undefined ? {} : { parent }),
    },
  };
  return resumes ? resumePart(context, send) : sendPart(context, send);
}

/** What stands ready once everything is done that publishes nothing. */
type ReadyPart = Pick<SendPart, 'token' | 'startedAt' | 'prepared' | 'images'>;

/** Kept for images that are not uploaded before the call that publishes: from then on it may be made. */
const GOES_WITH_THE_CALL = {};

async function readyPart(run: Run, part: PostPart, attempt: OpenAttempt): Promise<ReadyPart> {
  const { context, claimed, platform } = run;
  const { token, startedAt, prepared } = attempt;
  const goesWithTheCall = platform.prepare === undefined && platform.assemble === undefined;
  if (!needsPreparing(platform, claimed.post, part) || (prepared !== null && !goesWithTheCall)) {
    return { token, startedAt, prepared };
  }
  const images = await outgoingImages(context, claimed.post.id, platform);
  const kept = goesWithTheCall ? { images } : {};
  if (prepared !== null) return { token, startedAt, prepared, ...kept };
  const ready = await keepPrepared(context, claimed, attempt, await prepare(run, images));
  return { token, startedAt: ready.startedAt, prepared: ready.prepared, ...kept };
}

async function prepare({ context, claimed, platform, session }: Run, images: readonly OutgoingImage[]): Promise<Json> {
  const io = platformIo(context, SEND_TIMES.prepareMs);
  const { text } = claimed.post;
  const gave = await (platform.assemble?.(session, { text, images }, io) ?? platform.prepare?.(session, images, io));
  return gave ?? GOES_WITH_THE_CALL;
}

/** Uploading publishes nothing, so a lost answer there is an outage and not an unknown outcome. */
function nothingPublished(outcome: PartOutcome): PartOutcome {
  if (outcome.state !== 'unknown') return outcome;
  const message = 'The platform did not take what the post is made of; nothing was posted.';
  return { state: 'unavailable', error: { code: 'platform_unavailable', message } };
}

/** A first comment that is refused does not fail the post; a reply does what the platform's facts say. */
async function afterRefusal(run: Run, part: PostPart, last: NonNullable<SendOutcome['last']>): Promise<SendOutcome> {
  const { outcome } = last;
  if (outcome.state === 'accepted') throw new Error('an accepted part is no refusal');
  if (part.step === 'head') return failed(outcome.error, last);
  if (part.step === 'first_comment' || run.platform.thread?.onRefusal === 'keep') return sent(run, last);
  // What may be up cannot be taken down by name: a person has to look.
  if (outcome.state === 'unknown') return failed(outcome.error, last);
  await closeRow(run.context, last.attemptId, outcome);
  return takeDownAll(run, outcome.error, []);
}

/** Goes on where an earlier process ended after a refusal. */
function afterRefusedRow(
  run: Run,
  refusal: LedgerRow,
  closed: readonly LedgerRow[],
): Promise<SendOutcome> | SendOutcome {
  const error = refusal.error ?? {
    code: 'platform_rejected' as const,
    message: 'The platform refused a part of the post.',
  };
  if (refusal.step === 'head') return failed(error, null);
  if (refusal.step === 'first_comment' || run.platform.thread?.onRefusal === 'keep') return sent(run, null);
  if (refusal.state === 'unknown') return failed(error, null);
  return takeDownAll(run, error, closed);
}

async function takeDownAll(run: Run, error: PartError, closed: readonly LedgerRow[]): Promise<SendOutcome> {
  const { context, claimed, platform, session, up } = run;
  const gone = new Set(
    closed.filter(({ step, state }) => step === 'delete' && state === 'accepted').map(({ index }) => index),
  );
  const standing = up.map((published, index) => ({ index, published })).filter(({ index }) => !gone.has(index));
  const { left } = await removeParts(context, { platform, session }, claimed.post, standing);
  if (left.length === 0) return failed(error, null);
  run.up.length = left.length;
  return sent(run, null);
}

function sent(run: Run, last: SendOutcome['last']): SendOutcome {
  const { claimed, up } = run;
  const replies = claimed.post.thread.length;
  return {
    head: up[0] ?? null,
    error: null,
    threadCount: Math.min(Math.max(up.length - 1, 0), replies),
    hasFirstComment: claimed.post.firstComment !== null && up.length === 1 + replies + 1,
    last,
  };
}

function failed(error: PartError, last: SendOutcome['last']): SendOutcome {
  return { head: null, error, threadCount: 0, hasFirstComment: false, last };
}
