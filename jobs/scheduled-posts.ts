/**
 * scheduledPosts: sends due posts to their platforms, settles late ones, and recovers sends and deletions whose process
 * died. Claims are exclusive and fenced, so any number of workers may run it at once.
 */
import { claimDueSends, nextDueAt } from '../services/sending/claim-due-sends.ts';
import { claimHeldSends } from '../services/sending/claim-held-sends.ts';
import { claimInterruptedSends } from '../services/sending/claim-interrupted-sends.ts';
import { claimLateSends } from '../services/sending/claim-late-sends.ts';
import { claimInterruptedRemovals } from '../services/sending/claim-removal.ts';
import type { ClaimedSend } from '../services/sending/claimed-send.ts';
import { endSettledHold } from '../services/sending/decide-hold.ts';
import { recoverRemovals } from '../services/sending/recover-removals.ts';
import { roundEnd } from '../services/workers/round-end.ts';
import type { Loop, LoopContext } from './loop.ts';

/** Most interrupted sends and deletions that are recovered at once. */
const RECOVER_AT_ONCE = 200;

/** After a claim, the next one waits until this many sends are over, so that a backlog is claimed in batches. */
const CLAIM_AGAIN_AFTER = 50;

/** Longest wait for them: sends that hang must not delay claims under other concurrency limits. */
const CLAIM_AGAIN_MS = 250;

/** How long it waits when another worker was claiming the same posts. */
const CONTENDED_MS = 5;

/** How long after one look past a backlog, for the posts of other accounts, it takes the next one. */
const WIDE_AFTER_MS = 250;

/** And no sooner than this many times what that look took, so that looking leaves the time for sending. */
const WIDE_AFTER_TIMES = 4;

export const scheduledPosts: Loop = {
  name: 'scheduledPosts',
  nextDueAt,
  run: async (context, signal) => {
    const { isSettling } = await context.restores.check();
    const held = isSettling ? await claimHeldSends(context, toLookUp(context)) : [];
    if (isSettling && held.length === 0) await endSettledHold(context);
    let begun = start(context, held);
    begun += start(context, await claimInterruptedSends(context, RECOVER_AT_ONCE));
    begun += recoverRemovals(context, await claimInterruptedRemovals(context, RECOVER_AT_ONCE));
    for await (const { sends, moved } of claimLateSends(context)) begun += start(context, sends) + moved;
    let wideFrom = -Infinity;
    const isOver = roundEnd(context, signal);
    while (!isOver()) {
      const now = context.clock.now().getTime();
      const wide = now >= wideFrom;
      const { sends, moved, moreDue, contended } = await claimDueSends(context, { wide });
      if (wide) wideFrom = nextWide(now, context.clock.now().getTime());
      begun += start(context, sends) + moved;
      const nothing = sends.length + moved === 0;
      if (!contended && (!moreDue || (nothing && wide))) break;
      if (!nothing) await context.sends.waitForCapacity(CLAIM_AGAIN_AFTER, CLAIM_AGAIN_MS);
      else if (contended) await context.clock.sleep(CONTENDED_MS);
      else wideFrom = -Infinity;
    }
    return begun;
  },
};

/**
 * So many are looked up at once at most, because rounds follow each other as long as posts are looked up. Sends do not count: those
 * of one account may hang, and the held posts of all accounts would wait for them.
 */
function toLookUp({ sends }: LoopContext): number {
  return Math.max(RECOVER_AT_ONCE - sends.lookUpsInFlight, 0);
}

function nextWide(begunAt: number, endedAt: number): number {
  return endedAt + Math.max(WIDE_AFTER_MS, WIDE_AFTER_TIMES * (endedAt - begunAt));
}

function start(context: LoopContext, claimed: readonly ClaimedSend[]): number {
  for (const send of claimed) {
    context.sends.send(send).catch((error: unknown) => {
      context.log.error(
        { postId: send.post.id, err: error },
        'an outcome could not be stored; the send will be recovered',
      );
    });
  }
  return claimed.length;
}
