/** The post sender of a process: starts sends, settles their outcomes in batches, and waits for them at shutdown. */
import type { ClaimedSend } from './claimed-send.ts';
import type { Candidate } from '../scheduling/concurrency-limits.ts';
import type { SendOutcome } from './send-outcome.ts';

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
  /** Number of those that only look up a post which is held after a restore. */
  readonly lookUpsInFlight: number;
  /** The posts in progress, as the concurrency limits count them. */
  readonly inProgress: readonly Candidate[];
  /**
   * Resolves when `some` of the sends in progress are done, or all of them, or after `ms` milliseconds of real time.
   */
  waitForCapacity(some: number, ms: number): Promise<void>;
  /** Resolves when no send and no tracked work is in progress. */
  drained(): Promise<void>;
}

/** The sends in progress in this process. */
export interface WithSender {
  readonly sends: PostSender;
}
