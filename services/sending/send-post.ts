/**
 * Sends a claimed post, part by part, and returns its outcome. Every part has a ledger row, so an interrupted send
 * continues at the right part. Published parts are not published again, an open part is looked up, and a rollback that
 * has begun is completed.
 */
import type { ItemError } from '../../errors/item-error.ts';
import {
  type AnyPlatform,
  type Json,
  type OutgoingImage,
  PlatformFailure,
  type Published,
  type SendPart,
  type Session,
} from '../../platforms/contract.ts';
import { platformOf } from '../../platforms/registry.ts';
import { openSession } from '../connections/open-session.ts';
import { refreshAhead } from '../connections/refresh-ahead.ts';
import { requireReconnect } from '../connections/require-reconnect.ts';
import type { Context } from '../context.ts';
import { outgoingImages } from '../media/outgoing-images.ts';
import { storeOutcome } from '../until-database-answers.ts';
import { platformIo } from '../platform-io.ts';
import { callMayBeMade, needsPreparing } from './call-may-be-made.ts';
import type { ClaimedSend } from './claimed-send.ts';
import {
  ClaimLost,
  closedRows,
  closeRow,
  type HeldAttempt,
  keepClaim,
  keepPrepared,
  type LedgerRow,
  openPart,
  publishedParts,
} from './ledger.ts';
import { closeRemovals } from './removal-ledger.ts';
import { noteBackoff } from './back-off.ts';
import { earlierSends, searchEarlier, settleRepeat, withheldRepeat } from './earlier-sends.ts';
import type { SentText } from './find-sent-text.ts';
import { lookUpHeld } from './look-up-held.ts';
import { createPace, type Pace } from './pace.ts';
import { partsOf, type PostPart, type PublishedPart } from './post-parts.ts';
import { removeParts } from './remove-parts.ts';
import { failed, refusedCredential, refusedError, refusedRow, sent, type SendOutcome } from './send-outcome.ts';
import {
  ABSENT,
  type AcceptedPart,
  lookTwice,
  outcomeOf,
  type PartOutcome,
  type PartSend,
  type Refusal,
  resumePart,
  sendPart,
  untilRepeatable,
} from './send-part.ts';
import { SEND_TIMES } from './send-times.ts';

/** A send in progress. */
interface Run {
  readonly context: Context;
  readonly claimed: ClaimedSend;
  readonly platform: AnyPlatform;
  readonly session: Session<unknown>;
  /** Published parts, in order. */
  readonly up: Published[];
  readonly pace: Pace;
  /** The credential that the latest accepted part was sent with; null while this process has sent none. */
  accepted: string | null;
  /** The head, when an earlier send is known to have published it; null otherwise. */
  readonly found: AcceptedPart | null;
}

/**
 * Never throws because of a platform; throws database errors.
 *
 * @param sentText what the platform has of an earlier send, if it was asked already
 */
export async function sendPost(
  context: Context,
  claimed: ClaimedSend,
  sentText: SentText = ABSENT,
): Promise<SendOutcome> {
  const platform = platformOf(context.platforms, claimed.post.platformId);
  let session: Session<unknown>;
  try {
    session = openSession(context, platform, claimed.connection);
  } catch (error) {
    return withoutCredential(context, claimed, outcomeOf(error));
  }
  const closed = claimed.interrupted ? await closedRows(context, claimed.post) : [];
  const up = closed.flatMap(({ step, published }) => (published === null || step === 'delete' ? [] : [published]));
  const pace = createPace(context, claimed, platform.thread?.pace);
  // As if they had just been published: how long ago the earlier process did that is not known.
  for (const published of up) pace.count(published);
  const found = sentText.state === 'accepted' ? sentText : null;
  const run: Run = { context, claimed, platform, session, up, pace, accepted: null, found };
  const refusal = refusedRow(closed);
  if (claimed.lookedUp !== undefined) {
    const account = { platform, session, of: postOfPart(claimed) };
    return lookUpHeld(context, { claimed, account }, closed, claimed.lookedUp);
  }
  if (refusal !== undefined) return afterRefusedRow(run, refusal, closed);
  const outcome = await sendRest(run);
  return { ...outcome, accepted: run.accepted };
}

/**
 * Settles a send without a credential, which cannot publish, look up or delete anything. Parts known to be published
 * stay published, and the post counts as sent with them. If an earlier process may have published a part, the outcome
 * is unknown.
 */
async function withoutCredential(context: Context, claimed: ClaimedSend, refusal: Refusal): Promise<SendOutcome> {
  const { attempt, interrupted, post } = claimed;
  const closed = interrupted ? await closedRows(context, post) : [];
  if (interrupted) await closeRemovals(context, post, refusal);
  const callMade = interrupted && attempt !== null && callMayBeMade(context, post, attempt);
  const outcome = callMade ? outcomeOf(new PlatformFailure('unknown', refusal.error.message)) : refusal;
  const last = attempt && { attemptId: attempt.id, outcome };
  const existing = publishedParts(closed).map(({ published }) => published);
  const refused = refusedCredential(claimed, refusal.error);
  if (existing.length > 0) return { ...sent(post, existing, last), refused };
  const row = refusedRow(closed);
  return { ...failed(row === undefined ? outcome.error : refusedError(claimed, row), last), refused };
}

async function sendRest(run: Run): Promise<SendOutcome> {
  const { context, claimed, up, pace } = run;
  const parts = partsOf(claimed.post);
  let { lease } = claimed;
  let open: HeldAttempt | null = claimed.attempt && { ...claimed.attempt, lease: claimed.lease };
  for (const part of parts.slice(up.length)) {
    const resumed = claimed.interrupted && open !== null;
    if (open === null) await pace.wait(lease);
    const attempt = open ?? (await openPart(context, claimed, part));
    open = null;
    lease = attempt.lease;
    const outcome = await makePart(run, part, attempt, resumed);
    const last = { attemptId: attempt.id, outcome };
    if (outcome.state !== 'accepted') return afterRefusal(run, part, last);
    up.push(outcome.published);
    pace.count(outcome.published);
    run.accepted = claimed.connection.lastUsed;
    if (up.length === parts.length) return sent(claimed.post, up, last);
    await closeRow(context, { attemptId: attempt.id, claim: claimed.claim }, outcome);
  }
  // Reached when every part was already published and only the settlement was missing.
  return sent(claimed.post, up, null);
}

async function makePart(begun: Run, part: PostPart, attempt: HeldAttempt, resumed: boolean): Promise<PartOutcome> {
  const { context, claimed, platform, up } = begun;
  // The claim is renewed before the call, if the refresh took much of its lease.
  const session = await refreshAhead(context, platform, begun.session);
  const run = { ...begun, session };
  const resumes = resumed && callMayBeMade(context, claimed.post, attempt);
  const account = { platform, session, of: postOfPart(claimed) };
  const earlier = await earlierSends(context, claimed.post, part);
  const found = part.step === 'head' ? begun.found : null;
  const seen = found ?? (await searchEarlier(context, { ...account, part }, earlier));
  if (seen.state === 'accepted') return seen;
  const withheld = seen.state === 'absent' ? null : withheldRepeat(context, account, earlier, seen);
  if (withheld !== null) return resumes ? interrupted(withheld) : withheld;
  const [root] = up;
  const parent = up.at(-1);
  const sendWith = ({ token, startedAt, prepared, images }: Omit<ReadyPart, 'lease'>): PartSend => ({
    ...account,
    part: {
      ...part,
      token,
      startedAt,
      prepared,
      ...(images === undefined ? {} : { images }),
      ...(earlier[0] === undefined ? {} : { unknownSince: earlier[0].startedAt }),
      ...(root === undefined ? {} : { root }),
      ...(parent === undefined ? {} : { parent }),
    },
  });
  let ready: ReadyPart;
  try {
    ready = await readyPart(run, part, attempt);
  } catch (error) {
    if (error instanceof ClaimLost) throw error;
    const outcome = outcomeOf(error);
    if (!resumes) return nothingPublished(outcome);
    // What its call has published is found without the images.
    await keepClaim(context, claimed, attempt.lease);
    return lookTwice(context, sendWith(attempt), interrupted(outcome));
  }
  const { lease } = ready;
  const send = sendWith(ready);
  if (resumes) await untilRepeatable(context, send);
  await keepClaim(context, claimed, lease);
  const outcome = await (resumes ? resumePart(context, send) : sendPart(context, send));
  return settleRepeat(context, send, earlier, outcome);
}

function postOfPart({ post, connection }: ClaimedSend) {
  return { postId: post.id, connectionId: connection.id };
}

/** The input of a part after all steps that publish nothing, and the lease then. */
type ReadyPart = Pick<SendPart, 'token' | 'startedAt' | 'prepared' | 'images'> & Pick<ClaimedSend, 'lease'>;

/** Stored for images that the publishing call itself uploads: from then on, that call may be made. */
const GOES_WITH_THE_CALL = {};

async function readyPart(run: Run, part: PostPart, attempt: HeldAttempt): Promise<ReadyPart> {
  const { context, claimed, platform } = run;
  const { token, startedAt, prepared, lease } = attempt;
  const goesWithTheCall = platform.prepare === undefined && platform.assemble === undefined;
  if (!needsPreparing(platform, claimed.post, part) || (prepared !== null && !goesWithTheCall)) {
    return { token, startedAt, prepared, lease };
  }
  const images = await outgoingImages(context, claimed.post.id, platform);
  // Reading may have taken most of the lease, and uploading takes as long again.
  const renewed = await keepClaim(context, claimed, lease);
  const kept = goesWithTheCall ? { images } : {};
  if (prepared !== null) return { token, startedAt, prepared, lease: renewed, ...kept };
  const ready = await keepPrepared(context, claimed, attempt, await prepare(run, images));
  return { token, startedAt: ready.startedAt, prepared: ready.prepared, lease: ready.lease, ...kept };
}

async function prepare({ context, claimed, platform, session }: Run, images: readonly OutgoingImage[]): Promise<Json> {
  const io = platformIo(context, SEND_TIMES.prepareMs);
  const { text } = claimed.post;
  const gave = await (platform.assemble?.(session, { text, images }, io) ?? platform.prepare?.(session, images, io));
  return gave ?? GOES_WITH_THE_CALL;
}

/** The call of a part that is resumed may have been made, also when something keeps it from being repeated. */
function interrupted({ state, error, retryAfterMs }: Refusal): Refusal {
  if (state === 'unknown') return { state, error, retryAfterMs };
  return outcomeOf(new PlatformFailure('unknown', error.message, { retryAfterMs }));
}

/** Uploading publishes nothing, so a lost answer there is an outage and not an unknown outcome. */
function nothingPublished(outcome: Refusal): Refusal {
  if (outcome.state !== 'unknown') return outcome;
  const message = 'The platform did not take what the post is made of; nothing was posted.';
  return { state: 'unavailable', error: { code: 'platform_unavailable', message }, retryAfterMs: outcome.retryAfterMs };
}

/** A refused first comment does not fail the post; a refused reply follows the platform's facts. */
async function afterRefusal(run: Run, part: PostPart, last: NonNullable<SendOutcome['last']>): Promise<SendOutcome> {
  const { context, claimed, platform, up } = run;
  const { outcome, attemptId } = last;
  if (outcome.state === 'accepted') throw new Error('an accepted part is no refusal');
  const refused = refusedCredential(claimed, outcome.error);
  if (part.step === 'head') return { ...failed(outcome.error, last), refused };
  if (part.step === 'first_comment') return sent(claimed.post, up, last);
  const retryAfterMs = outcome.retryAfterMs ?? null;
  if (platform.thread?.onRefusal === 'keep') return { ...sent(claimed.post, up, last), retryAfterMs, refused };
  // Stored now, because a process that dies while it deletes the parts would lose it.
  await storeOutcome(context, () => noteBackoff(context, claimed.connection.id, outcome.retryAfterMs));
  if (refused !== null)
    await storeOutcome(context, () => requireReconnect(context, claimed.connection, refused.reason));
  await closeRow(context, { attemptId, claim: claimed.claim }, outcome);
  const existing = up.map((published, index) => ({ index, published }));
  return { ...(await takeDownAll(run, refusedError(claimed, { ...part, ...outcome }), existing)), retryAfterMs };
}

/** Continues when an earlier process ended after a refusal. */
function afterRefusedRow(
  run: Run,
  refusal: LedgerRow,
  closed: readonly LedgerRow[],
): Promise<SendOutcome> | SendOutcome {
  const { claimed, platform, up } = run;
  const error = refusedError(claimed, refusal);
  if (refusal.step === 'head') return failed(error, null);
  const keeps = refusal.step === 'first_comment' || platform.thread?.onRefusal === 'keep';
  return keeps ? sent(claimed.post, up, null) : takeDownAll(run, error, publishedParts(closed));
}

/** Deletes all parts. A post with a part that cannot be deleted counts as sent, with the parts that remain. */
async function takeDownAll(run: Run, error: ItemError, existing: readonly PublishedPart[]): Promise<SendOutcome> {
  const { context, claimed, platform, session } = run;
  const { post, claim } = claimed;
  const claimedRemoval = { id: post.id, generation: post.generation, claim };
  const removal = await removeParts(context, { platform, session }, claimedRemoval, existing);
  if (removal.left.length === 0) return failed(error, null);
  const left = removal.left.map(({ published }) => published);
  return { ...sent(post, left, null), refused: refusedCredential(claimed, removal.error) };
}
