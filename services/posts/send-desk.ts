/** Where a process keeps the sends it has under way: starts them, settles them together, and waits for them at shutdown. */
import type { Context } from '../context.ts';
import { createBatcher } from '../batcher.ts';
import type { ClaimedSend } from './claimed-send.ts';
import type { Candidate } from './lanes.ts';
import { polishSend } from './polish-send.ts';
import type { SendOutcome } from './send-outcome.ts';
import { sendPost } from './send-post.ts';
import { type Settlement, settleSends } from './settle-sends.ts';

/** A settled outcome, and what the sender is to know of the rewrite. */
export type SettledSend = SendOutcome & {
  /** Why the original text went out although a rewrite was asked for; null otherwise. */
  readonly rewriteWarning: string | null;
};

export interface SendDesk {
  /**
   * Polishes a claimed post where that was asked for, sends it and settles it. Gives the outcome that was settled.
   * @throws what the database throws when the outcome cannot be stored; the claim then runs out and a recovery finds the post
   */
  send(claimed: ClaimedSend): Promise<SettledSend>;
  /** Lets `drained` wait for other work that must end before the process does. It must not reject. */
  track(work: Promise<void>): void;
  /** Sends under way at this moment. */
  readonly inFlight: number;
  /** Which posts those are, as the lanes count them. */
  readonly underWay: readonly Omit<Candidate, 'id'>[];
  /** Resolves when `some` of the sends under way are over, or all, or after `ms` milliseconds of real time. */
  eased(some: number, ms: number): Promise<void>;
  /** Resolves when no send and no tracked work is under way. */
  drained(): Promise<void>;
}

/** What a send under way takes up in its lane. */
type Place = Omit<Candidate, 'id' | 'awaitsModel'> & { awaitsModel: boolean };

/** Most sends whose outcomes are written together. */
const SETTLE_TOGETHER = 200;

/** @param context a function, because the desk is itself a part of the context */
export function createSendDesk(context: () => Context): SendDesk {
  const underWay = new Map<Promise<unknown>, Place>();
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
      underWay.set(sending, place);
      const done = () => underWay.delete(sending);
      sending.then(done, done);
      return sending;
    },
    track: (work) => {
      tracked.add(work);
      void work.finally(() => tracked.delete(work));
    },
    get inFlight() {
      return underWay.size;
    },
    get underWay() {
      return [...underWay.values()];
    },
    eased: async (some, ms) => {
      const over = new AbortController();
      const expired = context()
        .clock.sleep(ms, over.signal)
        .then(
          () => 'expired' as const,
          () => 'expired' as const,
        );
      const until = Math.max(underWay.size - some, 0);
      while (underWay.size > until) {
        const first = await Promise.race([...underWay.keys(), expired].map((one) => one.catch(() => undefined)));
        if (first === 'expired') break;
      }
      over.abort();
    },
    drained: async () => {
      while (underWay.size + tracked.size > 0) await Promise.allSettled([...underWay.keys(), ...tracked]);
    },
  };
}
