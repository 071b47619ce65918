/** Creates the post sender of a process: it settles the outcomes of its sends in batches. */
import { createBatcher } from '../batcher.ts';
import type { Context } from '../context.ts';
import type { ClaimedSend } from './claimed-send.ts';
import type { Candidate } from '../scheduling/concurrency-limits.ts';
import { polishSend } from './polish-send.ts';
import type { PostSender } from './post-sender.ts';
import { sendPost } from './send-post.ts';
import { type Settlement, settleSends } from './settle-sends.ts';

/** What a send in progress counts against in the concurrency limits. */
type Place = Omit<Candidate, 'id' | 'awaitsModel'> & { awaitsModel: boolean };

/** Maximum number of outcomes written together. */
const SETTLE_TOGETHER = 200;

export function createPostSender(context: Context): PostSender {
  const inProgress = new Map<Promise<unknown>, Place>();
  const tracked = new Set<Promise<void>>();
  const settlements = createBatcher((items: readonly Settlement[]) => {
    return settleSends(context, items);
  }, SETTLE_TOGETHER);

  const sendAndSettle = async (begun: ClaimedSend, place: Place) => {
    const isPending = begun.post.aiRewriteStatus === 'pending';
    const polished = isPending ? await polishSend(context, begun) : { claimed: begun, rewriteWarning: null };
    const { claimed, rewriteWarning } = polished;
    place.awaitsModel = false;
    const outcome = await sendPost(context, claimed);
    const settled = await settlements.add({ claimed, outcome });
    if (!settled) context.log.warn({ postId: claimed.post.id }, 'another process settled a send first');
    return { ...outcome, rewriteWarning };
  };

  return {
    send: (claimed) => {
      const { accountId, platformId, aiRewriteStatus } = claimed.post;
      const awaitsModel = aiRewriteStatus === 'pending';
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
    waitForCapacity: async (some, ms) => {
      const over = new AbortController();
      const expired = context.clock.sleep(ms, over.signal).then(
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
