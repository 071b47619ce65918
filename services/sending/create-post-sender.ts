/** Creates the post sender of a process: it settles the outcomes of its sends in batches. */
import { createGroupedBatcher } from '../batcher.ts';
import type { Context } from '../context.ts';
import { InProgress } from '../in-progress.ts';
import type { Span, SpanStart } from '../ports/tracer.ts';
import { storeOutcome } from '../until-database-answers.ts';
import type { ClaimedSend } from './claimed-send.ts';
import type { Candidate } from '../scheduling/concurrency-limits.ts';
import { findSentText } from './find-sent-text.ts';
import { polishSend } from './polish-send.ts';
import { ClaimLost } from './ledger.ts';
import type { PostSender, SettledSend } from './post-sender.ts';
import { ABSENT } from './send-part.ts';
import { sendPost } from './send-post.ts';
import { endClaimAfter } from './end-claim.ts';
import { type Settlement, settleSends } from './settle-sends.ts';
import { SEND_TIMES } from './send-times.ts';
import { awaitOutcome, storedOutcome } from './stored-outcome.ts';

/** What a send in progress counts against in the concurrency limits. */
type Place = Omit<Candidate, 'awaitsModel'> & { awaitsModel: boolean };

/** Maximum number of outcomes written together. */
const SETTLE_TOGETHER = 200;

export function createPostSender(context: Context): PostSender {
  const inProgress = new InProgress<{
    readonly sending: Promise<unknown>;
    readonly place: Place;
    readonly isLookUp: boolean;
  }>();
  const tracked = new InProgress<Promise<void>>();
  const sends = () => Array.from(inProgress, ({ sending }) => sending);
  const settlements = createGroupedBatcher(
    (settlement: Settlement) => groupOf(context, settlement),
    (items) => storeOutcome(context, () => settleSends(context, items)),
    SETTLE_TOGETHER,
  );

  const polishAndSend = async (begun: ClaimedSend, place: Place) => {
    const isPending = begun.post.aiRewriteStatus === 'pending' && !isLookUp(begun);
    const sentText = isPending ? await findSentText(context, begun) : ABSENT;
    const polished = isPending ? await polishSend(context, begun, sentText) : { claimed: begun, rewriteWarning: null };
    const { claimed, rewriteWarning } = polished;
    place.awaitsModel = false;
    return { claimed, rewriteWarning, outcome: await sendPost(context, claimed, sentText) };
  };

  const sendOwned = async (begun: ClaimedSend, place: Place): Promise<SettledSend> => {
    const sent = polishAndSend(begun, place);
    // Without an outcome a recovery has to find it.
    sent.catch((error: unknown) => endClaimAfter(context, error, { claim: begun.claim, postId: begun.post.id }));
    const { claimed, rewriteWarning, outcome } = await sent;
    const settled = await settlements.add({ claimed, outcome });
    if (settled) {
      context.counters.countSend(claimed.post.platformId, outcome.error?.code ?? 'sent');
      return { ...outcome, rewriteWarning };
    }
    context.log.warn({ postId: claimed.post.id }, 'another process settled a send first');
    return (await storedOutcome(context, claimed.post.id)) ?? { ...outcome, rewriteWarning };
  };

  /** When another process has taken the send over, the outcome is the one that it stored. */
  const sendAndSettle = async (begun: ClaimedSend, place: Place, span: Span): Promise<SettledSend> => {
    // A request waits for an immediate post. For no longer than a lease: what lasts longer is not with a process any more.
    const waitMs = begun.post.scheduledFor === null ? SEND_TIMES.leaseMs : 0;
    const outcome = await sendOwned(begun, place).catch(async (error: unknown) => {
      const stored = error instanceof ClaimLost ? await awaitOutcome(context, begun.post.id, waitMs) : null;
      if (stored === null) throw error;
      context.log.warn({ postId: begun.post.id }, 'another process settled a send first');
      return stored;
    });
    span.set({ 'carillon.outcome': outcome.error?.code ?? 'sent' });
    if (outcome.error !== null) span.fail(outcome.error.code);
    return outcome;
  };

  return {
    send: (claimed) => {
      const { id, accountId, platformId, aiRewriteStatus, scheduledFor } = claimed.post;
      const place: Place = {
        id,
        accountId,
        platformId,
        connectionId: claimed.connection.id,
        awaitsModel: aiRewriteStatus === 'pending',
        isImmediate: scheduledFor === null,
      };
      const sending = context.tracer.span(spanOf(claimed), (span) => sendAndSettle(claimed, place, span));
      const done = inProgress.add({ sending, place, isLookUp: isLookUp(claimed) });
      sending.then(done, done);
      return sending;
    },
    track: (work) => {
      void work.finally(tracked.add(work));
    },
    get inFlight() {
      return inProgress.size;
    },
    get lookUpsInFlight() {
      return Array.from(inProgress).filter((one) => one.isLookUp).length;
    },
    get inProgress() {
      return Array.from(inProgress, ({ place }) => place);
    },
    waitForCapacity: async (some, ms) => {
      const over = new AbortController();
      const expired = context.clock.sleep(ms, over.signal).then(
        () => 'expired' as const,
        () => 'expired' as const,
      );
      const until = Math.max(inProgress.size - some, 0);
      while (inProgress.size > until) {
        const first = await Promise.race([...sends(), expired].map((one) => one.catch(() => undefined)));
        if (first === 'expired') break;
      }
      over.abort();
    },
    drained: async () => {
      while (inProgress.size + tracked.size > 0) await Promise.allSettled([...sends(), ...tracked]);
    },
  };
}

function isLookUp({ lookedUp }: ClaimedSend): boolean {
  return lookedUp !== undefined;
}

/** A settlement may wait for a lock on its post, such as that of a stop. Those of other accounts must not wait with it. */
function groupOf({ db }: Context, { claimed }: Settlement): string {
  // The embedded database runs one transaction at a time: no statement waits for a lock, and more statements take longer.
  return db.engine === 'pglite' ? 'all' : claimed.post.accountId;
}

/** The id of the post leads from a send to the request that stored the post, which may be long ago. */
function spanOf({ post, attempt, interrupted }: ClaimedSend): SpanStart {
  return {
    name: 'send post',
    attributes: {
      'carillon.post.id': post.id,
      'carillon.platform': post.platformId,
      'carillon.account.id': post.accountId,
      'carillon.send.kind': interrupted ? 'recovery' : post.scheduledFor === null ? 'immediate' : 'scheduled',
      'carillon.attempt.id': attempt?.id,
    },
  };
}
