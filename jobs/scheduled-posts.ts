/**
 * scheduledPosts: hands due posts to their platforms, and recovers sends whose worker died. Claims
 * are exclusive and fenced, so any number of workers may run it at once.
 */
import { claimDueSends, claimInterruptedSends, nextDueAt } from '../services/posts/claim-sends.ts';
import type { ClaimedSend } from '../services/posts/claimed-send.ts';
import type { Context } from '../services/context.ts';
import type { Loop } from './loop.ts';

/** Sends one process has under way at most. */
const IN_FLIGHT_MAX = 200;

/** A claim waits until at least so many sends have room, so that a backlog is claimed in batches. */
const ROOM_MIN = 50;

export const scheduledPosts: Loop = {
  name: 'scheduledPosts',
  nextDueAt,
  run: async (context, signal) => {
    let begun = start(context, await claimInterruptedSends(context, IN_FLIGHT_MAX));
    for (;;) {
      await context.sends.roomFor(ROOM_MIN, IN_FLIGHT_MAX);
      if (signal.aborted) break;
      const room = IN_FLIGHT_MAX - context.sends.inFlight;
      const claimed = await claimDueSends(context, room);
      begun += start(context, claimed);
      if (claimed.length < room) break;
    }
    return begun;
  },
};

function start(context: Context, claimed: readonly ClaimedSend[]): number {
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
