/** A post that this process alone may send now, with all that sending it takes. */
import type { RewriteStatus } from '../../entities/post.ts';
import type { Json, PartStep } from '../../platforms/contract.ts';
import type { ConnectionLogin } from '../connections/connection-login.ts';

/** What a post says and where it goes. */
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
  /** What AI polish made of the text; nothing is sent while it is `pending`. */
  readonly rewriteStatus: RewriteStatus | null;
  /** Images of the head post. */
  readonly mediaCount: number;
  readonly tags: readonly string[];
  /** Null for a post that goes out at once. */
  readonly scheduledFor: Date | null;
  readonly createdAt: Date;
  /** Number of the send. */
  readonly generation: number;
  /** How often it was repeated by itself (docs/contract/posts.md#busy-platforms). */
  readonly repeats: number;
  /** When it was due before the first repeat; null when there was none. */
  readonly firstDueAt: Date | null;
  /** What it costs once it is sent, in cents. */
  readonly feeCents: number;
}

/** A ledger row that was committed before the platform is called. */
export interface OpenAttempt {
  readonly id: string;
  readonly step: PartStep;
  readonly index: number;
  readonly token: string;
  readonly startedAt: Date;
  /** What uploading the images gave; null while they are not uploaded. */
  readonly prepared: Json | null;
}

export interface ClaimedSend {
  readonly post: SendablePost;
  readonly connection: ConnectionLogin;
  /** The token that fences the send: only its holder settles the post. */
  readonly claim: string;
  /** The open ledger row; null when an earlier process ended between two parts. */
  readonly attempt: OpenAttempt | null;
  /** True when an earlier process began this send and did not settle it. */
  readonly interrupted: boolean;
}
