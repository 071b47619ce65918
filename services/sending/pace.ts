/** Paces the parts of a send to the messages that its platform takes within a time (`thread.pace` of its facts). */
import type { PaceFacts, Published } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';
import type { ClaimedSend } from './claimed-send.ts';
import { keepClaim } from './ledger.ts';
import type { Lease } from './send-times.ts';

/** Longest wait between two renewals of the claim, in milliseconds: less than is left of its lease after `keepClaim`. */
const RENEW_MS = 30_000;

export interface Pace {
  /** Counts the messages of a part that has just been published. */
  count(published: Published): void;
  /**
   * Waits until the platform takes a further message. It renews the claim meanwhile.
   *
   * @throws ClaimLost
   */
  wait(lease: Lease): Promise<void>;
}

/** @param facts undefined if the platform does not limit the pace */
export function createPace(context: Context, claimed: ClaimedSend, facts: PaceFacts | undefined): Pace {
  const { clock } = context;
  // In elapsed time, because the clock may be set meanwhile.
  const sentAt: number[] = [];
  return {
    count: (published) => {
      const messages = facts?.messagesOf(published) ?? 0;
      sentAt.push(...Array.from({ length: messages }, () => clock.elapsed()));
    },
    wait: async (held) => {
      if (facts === undefined) return;
      const blocking = sentAt.at(-facts.max);
      if (blocking === undefined) return;
      let lease = held;
      let leftMs = blocking + facts.perMs - clock.elapsed();
      while (leftMs > 0) {
        lease = await keepClaim(context, claimed, lease);
        const ms = Math.min(leftMs, RENEW_MS);
        await clock.sleep(ms);
        leftMs -= ms;
      }
    },
  };
}
