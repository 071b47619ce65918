/**
 * Publishes one part of a post and determines its outcome. When an answer is lost, it reads back from the platform, and
 * repeats a call only if the repeat cannot publish a second post (docs/contract/posts.md#interrupted-sends,
 * docs/contract/posts.md#lost-answers).
 */
import type { ItemError } from '../../errors/item-error.ts';
import type { ErrorCode } from '../../errors/codes.ts';
import type { AnyPlatform, Published, RecoveryFacts, SendPart, Session } from '../../platforms/contract.ts';
import { type FailureKind, Inconclusive, PlatformFailure } from '../../platforms/contract.ts';
import type { AttemptState } from '../../entities/attempt.ts';
import type { Context } from '../context.ts';
import { platformIo } from '../platform-io.ts';
import { ownOf, type PostOfPart } from './another-post.ts';
import { SEND_TIMES } from './send-times.ts';

/** The outcome of a part. */
export type PartOutcome =
  | { readonly state: 'accepted'; readonly published: Published }
  | {
      readonly state: Exclude<AttemptState, 'accepted' | 'sending'>;
      readonly error: ItemError;
      /** How long the platform asked us to back off on this connection. */
      readonly retryAfterMs?: number | undefined;
      /** Present if the call was lost and is not there, so that it may still arrive. */
      readonly mayHaveArrived?: true;
    };

/** A part that was not accepted. */
export type Refusal = Exclude<PartOutcome, { state: 'accepted' }>;

/** A part that the platform has. */
export type AcceptedPart = Extract<PartOutcome, { state: 'accepted' }>;

/** How a failure is recorded in the ledger and on the post. */
const FAILURES: Record<FailureKind, { state: Exclude<AttemptState, 'accepted' | 'sending'>; code: ErrorCode }> = {
  rejected: { state: 'rejected', code: 'platform_rejected' },
  unavailable: { state: 'unavailable', code: 'platform_unavailable' },
  reconnect: { state: 'rejected', code: 'reconnect_required' },
  unknown: { state: 'unknown', code: 'outcome_unknown' },
};

/** What a failed search means. Refused for any other reason than the credential, it is refused the next time too. */
const UNSEEN: Record<FailureKind, Unseen['why']> = {
  rejected: 'cannot tell',
  unavailable: 'no answer',
  reconnect: 'reconnect',
  unknown: 'no answer',
};

/** One part to publish on one account. */
export interface PartSend {
  readonly platform: AnyPlatform;
  readonly session: Session<unknown>;
  readonly part: SendPart;
  /** The post that the part is of. */
  readonly of: PostOfPart;
}

/** Publishes the part for the first time. Never throws. */
export async function sendPart(context: Context, send: PartSend): Promise<PartOutcome> {
  const first = await publish(context, send, SEND_TIMES.publishMs);
  if (first.state !== 'unknown') return first;
  if (recoveryOf(send).readBack) return lookTwice(context, send, first);
  return mayRepeat(context, send) ? afterRepeat(first, await publish(context, send, SEND_TIMES.repeatMs)) : first;
}

/** Waits while the platform may still process an interrupted call of which it would not recognize a repeat. */
export async function untilRepeatable(context: Context, send: PartSend): Promise<void> {
  // Negative after the clock was set back.
  const age = Math.max(context.clock.now().getTime() - send.part.startedAt.getTime(), 0);
  const left = (recoveryOf(send).repeatAfterMs ?? 0) - age;
  if (left > 0) await context.clock.sleep(left);
}

/** Finishes a part whose first call was interrupted by the end of its process. Never throws. */
export async function resumePart(context: Context, send: PartSend): Promise<PartOutcome> {
  const lost = outcomeOf(new PlatformFailure('unknown', 'The send was interrupted.'));
  const seen = await look(context, send);
  if (seen.state === 'absent' || seen.state === 'unseen') {
    // A scheduled post whose part is absent is repeated automatically, so it needs a second lookup here too.
    if (!mayRepeat(context, send)) {
      return seen.state === 'absent' ? lookAgain(context, send, lost) : withWait(lost, seen.retryAfterMs);
    }
    const repeated = await publish(context, send, SEND_TIMES.repeatMs);
    if (repeated.state === 'unknown') return lookTwice(context, send, repeated);
    if (seen.state === 'unseen') return afterRepeat(withWait(lost, seen.retryAfterMs), repeated);
    if (repeated.state !== 'unavailable') return repeated;
    // The first call may still arrive, and a scheduled post would then be repeated although it is up.
    const notThere = { ...repeated, mayHaveArrived: true } as const;
    return lookAgain(context, send, withWait(lost, repeated.retryAfterMs), notThere);
  }
  return seen;
}

/** A repeat that was rejected because of the credential or a rate limit says nothing about the first call. */
function afterRepeat(lost: Refusal, repeated: PartOutcome): PartOutcome {
  if (repeated.state === 'accepted' || repeated.error.code === 'platform_rejected') return repeated;
  return withWait(lost, repeated.retryAfterMs);
}

/** A later answer may ask to wait too, and the longer wait counts. */
function withWait(lost: Refusal, retryAfterMs: number | undefined): Refusal {
  if (retryAfterMs === undefined) return lost;
  return { ...lost, retryAfterMs: Math.max(lost.retryAfterMs ?? 0, retryAfterMs) };
}

/** Names of the errors thrown by a call that timed out, at any point in the adapter. */
const TIMED_OUT = ['AbortError', 'TimeoutError'];

async function publish(context: Context, send: PartSend, timeoutMs: number): Promise<PartOutcome> {
  const { platform, session, part } = send;
  try {
    return { state: 'accepted', published: await platform.publish(session, part, platformIo(context, timeoutMs)) };
  } catch (error) {
    const expected = error instanceof PlatformFailure || (error instanceof Error && TIMED_OUT.includes(error.name));
    if (!expected) context.log.error({ platformId: platform.id, err: error }, 'an adapter failed');
    return outcomeOf(error);
  }
}

/** Whether the platform can be asked for a post whose answer was lost. */
export function isSearchable(send: Pick<PartSend, 'platform' | 'session'>): boolean {
  return send.platform.readBack !== undefined && recoveryOf(send).readBack;
}

/** A search shows that a part is not there. */
export interface Absent {
  readonly state: 'absent';
}

export const ABSENT: Absent = { state: 'absent' };

/** A search that does not show whether a part is there. */
export interface Unseen {
  readonly state: 'unseen';
  /** It cannot show that, it had no answer and may have one later, or the credential is refused. */
  readonly why: 'cannot tell' | 'no answer' | 'reconnect';
  /** How long the platform asked us to back off on this connection. */
  readonly retryAfterMs?: number | undefined;
}

/** Looks for the part on the platform. Never throws. */
export async function look(context: Context, send: PartSend): Promise<PartOutcome | Absent | Unseen> {
  const { platform, session, part } = send;
  if (platform.readBack === undefined || !isSearchable(send)) return { state: 'unseen', why: 'cannot tell' };
  try {
    const found = await platform.readBack(session, part, platformIo(context, SEND_TIMES.readBackMs));
    if (found === null) return ABSENT;
    if (found instanceof PlatformFailure) return outcomeOf(found);
    // Platforms that can be searched only by text may show an earlier post that says the same.
    const own = await ownOf(context, send, found, part.unknownSince ?? part.startedAt);
    return own === null ? { state: 'unseen', why: 'cannot tell' } : { state: 'accepted', published: own };
  } catch (error) {
    if (!(error instanceof PlatformFailure)) return { state: 'unseen', why: 'no answer' };
    const why = error instanceof Inconclusive ? 'cannot tell' : UNSEEN[error.kind];
    return { state: 'unseen', why, retryAfterMs: error.retryAfterMs };
  }
}

/** Looks for a part whose call was lost. @param lost what it counts as where the platform does not show it. Never throws. */
export async function lookTwice(context: Context, send: PartSend, lost: Refusal): Promise<PartOutcome> {
  const seen = await look(context, send);
  if (seen.state === 'absent') return lookAgain(context, send, lost);
  return seen.state === 'unseen' ? withWait(lost, seen.retryAfterMs) : seen;
}

/** Looks a second time, because the lost request may have reached the platform after the first lookup. */
async function lookAgain(
  context: Context,
  send: PartSend,
  lost: Refusal,
  notThere: PartOutcome = absent(send, lost),
): Promise<PartOutcome> {
  await context.clock.sleep(SEND_TIMES.secondLookAfterMs);
  const seen = await look(context, send);
  if (seen.state === 'absent') return notThere;
  return seen.state === 'unseen' ? withWait(lost, seen.retryAfterMs) : seen;
}

/** @param lost the outcome of the call, whose answer may ask to wait */
function absent(send: PartSend, { retryAfterMs }: Refusal): PartOutcome {
  const message = `${send.platform.name} did not answer the send, and the post is not there; nothing was posted.`;
  return { ...outcomeOf(new PlatformFailure('unavailable', message, { retryAfterMs })), mayHaveArrived: true };
}

function mayRepeat(context: Context, send: PartSend): boolean {
  // Negative after the clock was set back, and then nothing tells how long ago the call was made.
  const age = context.clock.now().getTime() - send.part.startedAt.getTime();
  return Math.abs(age) < recoveryOf(send).repeatWithinMs;
}

function recoveryOf({ platform, session }: Pick<PartSend, 'platform' | 'session'>): RecoveryFacts {
  return platform.recoveryOf?.(session.credential) ?? platform.recovery;
}

/** How a thrown failure is recorded in the ledger; anything an adapter did not throw deliberately is `unknown`. */
export function outcomeOf(error: unknown): Refusal {
  const failure = error instanceof PlatformFailure ? error : new PlatformFailure('unknown', '');
  const { state, code } = FAILURES[failure.kind];
  const { retryAfterMs } = failure;
  if (failure.kind !== 'unknown') return { state, error: { code, message: failure.message }, retryAfterMs };
  const message = `The send was interrupted and it is not known whether the post went out: look on the platform before sending it again. ${failure.message}`;
  return { state, error: { code, message: message.trim() }, retryAfterMs };
}
