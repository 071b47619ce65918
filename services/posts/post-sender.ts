/** The post sender of a process: starts sends, settles their outcomes in batches, and waits for them at shutdown. */
import type { Context } from '../context.ts';
import { createBatcher } from '../batcher.ts';
import type { ClaimedSend } from './claimed-send.ts';
import type { Candidate } from './concurrency-limits.ts';
import { polishSend } from './polish-send.ts';
import type { SendOutcome } from './send-outcome.ts';
import { sendPost } from './send-post.ts';
import { type Settlement, settleSends } from './settle-sends.ts';

/** A settled outcome, with the warning about the rewrite for the caller. */
export type SettledSend = SendOutcome & {
  /** Why the original text was sent although a rewrite was requested; null otherwise. */
  readonly rewriteWarning: string | null;
};

export interface PostSender {
  /**
   * Rewrites the text of a claimed post if requested, sends the post and settles it. Returns the settled outcome.
   * @throws the database error when the outcome cannot be stored; the claim then expires and a recovery finds the post
   */
  send(claimed: ClaimedSend): Promise<SettledSend>;
  /** Makes `drained` also wait for other work that must finish before the process exits. It must not reject. */
  track(work: Promise<void>): void;
  /** Number of sends in progress. */
  readonly inFlight: number;
  /** The posts in progress, as the concurrency limits count them. */
  readonly inProgress: readonly Omit<Candidate, 'id'>[];
  /**
   * Resolves when `some` of the sends in progress are done, or all of them, or after `ms` milliseconds of real time.
   */
  eased(some: number, ms: number): Promise<void>;
  /** Resolves when no send and no tracked work is in progress. */
  drained(): Promise<void>;
}

/** What a send in progress counts against in the concurrency limits. */
type Place = Omit<Candidate, 'id' | 'awaitsModel'> & { awaitsModel: boolean };

/** Maximum number of outcomes written together. */
const SETTLE_TOGETHER = 200;

/** @param context a function, because the sender is itself part of the context */
export function createPostSender(context: () => Context): PostSender {
  const inProgress = new Map<Promise<unknown>, Place>();
  const tracked = new Set<Promise<void>>();
  const settlements = createBatcher((items: readonly Settlement[]) => {
    return settleSends(context(), items);
  }, SETTLE_TOGETHER);

  const sendAndSettle = async (begun: ClaimedSend, place: Place) => {
    const { claimed, rewriteWarning } = await polishSend(context(), begun);
    place.awaitsModel = false;
    const outcome = await sendPost(context(), claimed);
    const settled = await settlements.add({ claimed, outcome });
    if (!settled) context().log.warn({ postId: claimed.post.id }, 'a send was settled by someone else meanwhile');
    return { ...outcome, rewriteWarning };
  };

  return {
    send: (claimed) => {
      const { accountId, platformId, rewriteStatus } = claimed.post;
      const awaitsModel = rewriteStatus === 'pending';
      const place: Place = { accountId, platformId, connectionId: claimed.connection.id, awaitsModel };
      const sending = sendAndSettle(claimed, place);
      inProgress.set(sending, place);
      const done = () => inProgress.delete(sending);
      sending.then(done, done);
      return sending;
    },
    track: (work) => {
      tracked.add(work);
      void work.finally(() => tracked.delete(work));
    },
    get inFlight() {
      return inProgress.size;
    },
    get inProgress() {
      return [...inProgress.values()];
    },
    eased: async (some, ms) => {
      const over = new AbortController();
      const expired = context()
        .clock.sleep(ms, over.signal)
        .then(
          () => 'expired' as const,
          () => 'expired' as const,
        );
      const until = Math.max(inProgress.size - some, 0);
      while (inProgress.size > until) {
        const first = await Promise.race([...inProgress.keys(), expired].map((one) => one.catch(() => undefined)));
        if (first === 'expired') break;
      }
      over.abort();
    },
    drained: async () => {
      while (inProgress.size + tracked.size > 0) await Promise.allSettled([...inProgress.keys(), ...tracked]);
    },
  };
}
