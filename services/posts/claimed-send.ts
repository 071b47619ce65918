/** A post that only this process may send now, with everything that the send needs. */
import type { RewriteStatus } from '../../entities/post.ts';
import type { Json, PartStep } from '../../platforms/contract.ts';
import type { ConnectionLogin } from '../connections/connection-login.ts';

/** The content and the destination of a post. */
export interface SendablePost {
  readonly id: string;
  readonly accountId: string;
  readonly profileId: string | null;
  readonly connectionSlug: string;
  readonly platformId: string;
  readonly mode: 'live' | 'test';
  readonly text: string;
  /** Replies under the head post, in order. */
  readonly thread: readonly string[];
  readonly firstComment: string | null;
  /** State of the AI rewrite of the text; the post is not sent while it is `pending`. */
  readonly rewriteStatus: RewriteStatus | null;
  /** Images of the head post. */
  readonly mediaCount: number;
  readonly tags: readonly string[];
  /** Null for a post that is sent immediately. */
  readonly scheduledFor: Date | null;
  readonly createdAt: Date;
  /** Number of the send. */
  readonly generation: number;
  /** Number of automatic repeats so far (docs/contract/posts.md#busy-platforms). */
  readonly repeats: number;
  /** When it was due before the first repeat; null without repeats. */
  readonly firstDueAt: Date | null;
  /** The fee charged once it is sent, in cents. */
  readonly feeCents: number;
}

/** A ledger row that is committed before the platform is called. */
export interface OpenAttempt {
  readonly id: string;
  readonly step: PartStep;
  readonly index: number;
  readonly token: string;
  readonly startedAt: Date;
  /** The result of uploading the images; null before the upload. */
  readonly prepared: Json | null;
}

export interface ClaimedSend {
  readonly post: SendablePost;
  readonly connection: ConnectionLogin;
  /** Fencing token of the send: only the process that holds it can settle the post. */
  readonly claim: string;
  /** The open ledger row; null when an earlier process ended between two parts. */
  readonly attempt: OpenAttempt | null;
  /** True when an earlier process started this send and did not settle it. */
  readonly interrupted: boolean;
}
