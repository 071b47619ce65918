/**
 * The contract of a platform: a plain object. Its first half is facts (limits, capabilities, how safe a repeat
 * is); its second half is behavior that follows from them. Other code reads all differences between platforms
 * from here. No code outside platforms/ checks for a platform by name.
 */
import type { ZodType } from 'zod';
import type { HostedConnect } from './connect.ts';
import type { ImageFacts, TextFacts } from './content-facts.ts';
import { credentialFields } from './credential-fields.ts';
import type { ConnectedAccount, CredentialRenewal, Session } from './credential.ts';
import type { Json, JsonObject, PlatformIo } from './io.ts';
import type { PlatformFailure } from './failure.ts';
import type { MetricName, MetricsBatchFacts, MetricsReading, ReadPost } from './metrics.ts';
import type { FeeSetting, InstallNeeds, PlatformSettings } from './settings.ts';

export { type FailureKind, Inconclusive, PlatformFailure } from './failure.ts';
export type { ImageFacts, TextFacts } from './content-facts.ts';
export type { ConnectedAccount, ConnectionLimits, CredentialRenewal, Session } from './credential.ts';
export type { Fetch, FetchInit, Json, JsonObject, PlatformIo } from './io.ts';
export type { MetricName, PostMetrics, MetricsReading, ReadPost } from './metrics.ts';
export type { PlatformApp, PlatformApps, PlatformEndpoints } from './settings.ts';

/** Public platforms, or channels that reach chosen people (docs/contract/README.md). */
export type PlatformKind = 'broadcast' | 'messaging';

/** How a platform publishes a thread. */
export interface ThreadFacts {
  /** Maximum number of replies in a post. */
  readonly max: number;
  /**
   * How to handle a thread that is refused partway. `take_down`: all its posts are deleted and the post fails.
   * `keep`: the published parts stay.
   */
  readonly onRefusal: 'take_down' | 'keep';
  /** Present if a long thread has more messages than the platform takes within a time. Its later parts then wait. */
  readonly pace?: PaceFacts;
}

/** Maximum number of messages that a platform takes from a connection within a time. */
export interface PaceFacts {
  readonly max: number;
  readonly perMs: number;
  /** Number of messages of a published part that count; 0 where the platform does not limit them. */
  readonly messagesOf: (published: Published) => number;
}

/** The comment that may be made right after a post, counted in the unit of its text. */
export interface FirstCommentFacts {
  readonly maxLength: number;
}

/**
 * Maximum concurrent sends of one process to a platform, so that a platform that hangs blocks only its own sends. Immediate posts
 * count for their connection only.
 */
export interface ConcurrencyFacts {
  /** For the whole platform. */
  readonly perProcess: number;
  /** For one connection. */
  readonly perConnection: number;
}

/** The fees, if the platform charges (docs/contract/errors-and-limits.md#plans). */
export interface FeeFacts {
  /** Setting with the fee of a post. */
  readonly post: FeeSetting;
  /** Setting with the fee of a post with a link. It is at least the other fee. */
  readonly linkPost: FeeSetting;
  /** Whether the platform recognizes a link in a text. */
  readonly hasLink: (text: string) => boolean;
  /** Setting with the fee of one metrics read of a post. Metrics are read only for accounts that opt in. */
  readonly read: FeeSetting;
}

/** The effect of repeating the same create call, and whether the first attempt can be looked up. */
export interface RecoveryFacts {
  /**
   * Milliseconds after the first attempt within which the same call with the same token cannot create a second
   * post. 0 when the platform has no idempotency, Infinity when it never forgets a token.
   */
  readonly repeatWithinMs: number;
  /**
   * Milliseconds after the first attempt before which a repeat may create a second post, because the platform remembers a token
   * only once it has created the post. Absent when it remembers it first.
   */
  readonly repeatAfterMs?: number;
  /** Whether the platform can report if a post with this token was published. */
  readonly readBack: boolean;
}

/** The facts of a platform. `source` documents the origin of each number. */
export interface PlatformFacts {
  readonly id: string;
  /** The platform's display name. */
  readonly name: string;
  readonly kind: PlatformKind;
  /** What it reads from the environment; absent for nothing. */
  readonly settings?: PlatformSettings;
  /**
   * Present if each post counts toward the account's daily message limit
   * (docs/contract/errors-and-limits.md#messages).
   */
  readonly countsAsMessage?: true;
  readonly text: TextFacts;
  readonly images: ImageFacts | null;
  /** How a post may have replies; null when it may not have any. */
  readonly thread: ThreadFacts | null;
  /** The first comment that a post may carry; null when it may not carry one. */
  readonly firstComment: FirstCommentFacts | null;
  /** Whether a sent post has a public URL. */
  readonly permalink: boolean;
  /** The metrics that it reports; empty when none. */
  readonly metrics: readonly MetricName[];
  /** Present exactly when `metrics` is not empty. */
  readonly metricsBatch?: MetricsBatchFacts;
  /** If recovery depends on the kind of credential, this is the best case; `recoveryOf` returns the actual one. */
  readonly recovery: RecoveryFacts;
  /**
   * Milliseconds for which it refuses a text that the account has posted. So long after a send, a repeat cannot publish a second
   * post, also while a search has no answer (docs/contract/posts.md#repeats-and-late-posts). Absent when that is not known.
   */
  readonly refusesDuplicatesForMs?: number;
  readonly concurrency: ConcurrencyFacts;
  /** Absent if sending is free. */
  readonly fees?: FeeFacts;
  /** Absent if no setup is required. */
  readonly needs?: InstallNeeds;
  /** Whether a profile may have several connections to the same account (docs/contract/connections.md#connections). */
  readonly repeatsAccounts?: true;
  /**
   * Whether the credentials hold settings that a person may want to change, and the hosted page cannot connect the account again.
   * POST /connections then replaces those of a working connection too (docs/contract/connections.md#reconnecting).
   */
  readonly credentialsHoldSettings?: true;
  /** Whether each link opens a new account. Connecting again then keeps the account that the connection has. */
  readonly opensAccounts?: true;
  /** How accounts can be linked on this install, e.g. `credentials`. */
  readonly connect: readonly string[];
  /** Version of the platform's API that this adapter calls; null when the API has none. */
  readonly apiVersion: string | null;
  /** Documentation pages that the facts come from. */
  readonly source: readonly string[];
}

/** The part of a send that a call creates: the post itself, a reply under it, or its first comment. */
export type PartStep = 'head' | 'reply' | 'first_comment';

/** An outgoing image: already of an accepted type and size, without location metadata. */
export interface OutgoingImage {
  /** Id of the original upload. */
  readonly mediaId: string;
  readonly bytes: Uint8Array;
  readonly contentType: string;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  /** Empty when there is none. */
  readonly altText: string;
  /** Public URL of these bytes, valid for an hour; present if the platform fetches images. */
  readonly url?: string;
}

/** A post to send, before it is published. */
export interface OutgoingPost {
  readonly text: string;
  readonly images: readonly OutgoingImage[];
}

/** One irreversible call to a platform, recorded in one ledger row. */
export interface SendPart {
  readonly step: PartStep;
  /** Position among the parts of the same step, starting at 0. */
  readonly index: number;
  readonly text: string;
  /** Stored before the first attempt and the same in every attempt, so that the platform can recognize a repeat. */
  readonly token: string;
  /** Instant of the first attempt; used in records that carry their own creation time. */
  readonly startedAt: Date;
  /**
   * Instant of the earliest send of this part that may have published it, if this is a repeat
   * (docs/contract/posts.md#repeats-and-late-posts); otherwise absent.
   */
  readonly unknownSince?: Date;
  /** The result of `prepare` for this part; null when nothing had to be prepared. */
  readonly prepared: Json | null;
  /** Its images, if the platform has no `prepare`: the publishing call carries them. Absent when it has none. */
  readonly images?: readonly OutgoingImage[];
  /** The head post, for every part except the head itself. */
  readonly root?: Published;
  /** The previous part of a thread. */
  readonly parent?: Published;
}

/** What a platform returns for a published part. */
export interface Published {
  readonly platformPostId: string;
  /** Permalink; null if the platform has none. */
  readonly url: string | null;
  /** Data that replies and deletes need later, such as a content hash. */
  readonly ref?: JsonObject;
  /**
   * Present if the platform says that the part is published and does not say as which post: the id that is stored for it when the
   * post which was matched with it turns out to be another one.
   */
  readonly provenId?: string;
  /**
   * Present if the platform takes a part without saying as which post, and this one was found by what it says: it may be another one of the
   * account.
   */
  readonly isFound?: true;
}

/** A platform's behavior in addition to its facts. `Credential` is the type that is stored, encrypted. */
export interface Platform<Credential = unknown, Input = unknown> extends PlatformFacts {
  /** Shape of `credentials` in POST /connections. */
  readonly credentials: ZodType<Input>;
  /** How a customer links an account on the hosted connect page; null when that page cannot link it. */
  readonly hosted: HostedConnect<Input> | null;
  /** Absent if credentials do not expire, or only the customer can renew them. */
  readonly renewal?: CredentialRenewal<Credential>;
  /** Verifies a credential with the platform. Throws PlatformFailure. */
  connectAccount(input: Input, io: PlatformIo): Promise<ConnectedAccount<Credential>>;
  /**
   * Whether an account with another id is the one that a connection posts to, whose credential this is. Absent if accounts keep
   * their ids.
   */
  isSameAccount?(stored: Credential, found: ConnectedAccount<Credential>): boolean;
  /**
   * Uploads the images of a post without publishing anything. The result is stored before the part is created and
   * passed to each attempt. Absent if the publishing call carries the images, or if there is `assemble`.
   */
  prepare?(session: Session<Credential>, images: readonly OutgoingImage[], io: PlatformIo): Promise<Json>;
  /**
   * Uploads the whole post, with or without images, on platforms that publish it in a separate call. It publishes
   * nothing. The result is stored like that of `prepare`.
   */
  assemble?(session: Session<Credential>, post: OutgoingPost, io: PlatformIo): Promise<Json>;
  /** Publishes one part. Throws PlatformFailure; any other error counts as `unknown`. */
  publish(session: Session<Credential>, part: SendPart, io: PlatformIo): Promise<Published>;
  /** How a lost response can be recovered with this credential, if that is less than `recovery` states. */
  recoveryOf?(credential: Credential): RecoveryFacts;
  /**
   * Looks for a part whose response was lost. Returns a `rejected` failure when the platform took the part and shows that it
   * did not go out. What it throws is about the lookup. Present exactly when recovery.readBack.
   */
  readBack?(session: Session<Credential>, part: SendPart, io: PlatformIo): Promise<Published | PlatformFailure | null>;
  /** Deletes one part. A part that is already gone counts as deleted. */
  remove?(session: Session<Credential>, published: Published, io: PlatformIo): Promise<void>;
  /**
   * Reads the metrics of at most `metricsBatch.max` posts. If the batch is shared, they may belong to several
   * accounts and `session` is that of one of them. Present exactly when `metrics` is not empty. Throws
   * PlatformFailure.
   */
  readMetrics?(session: Session<Credential>, posts: readonly ReadPost[], io: PlatformIo): Promise<MetricsReading>;
  /**
   * Checks the operator's app with a call that changes nothing and needs no account. Absent if the platform has none.
   * Throws PlatformFailure when the platform refuses the app.
   */
  checkApp?(io: PlatformIo): Promise<void>;
  /** Makes the token of a part if the platform requires a format; otherwise the attempt's id is the token. */
  makeToken?(startedAt: Date, seed: string): string;
}

/** A platform without its type parameters, as the registry holds it. */
// eslint-disable-next-line typescript/no-explicit-any -- the registry mixes credentials of all platforms; each adapter's own zod schema is what checks them
export type AnyPlatform = Platform<any, any>;

/** Checks that the behavior matches the facts and infers the platform's exact type. */
export function definePlatform<Credential, Input>(platform: Platform<Credential, Input>): Platform<Credential, Input> {
  credentialFields(platform.credentials);
  if (platform.recovery.readBack !== (platform.readBack !== undefined)) {
    throw new Error(`${platform.id}: recovery.readBack and readBack() must agree`);
  }
  if (platform.images === null && platform.prepare !== undefined) {
    throw new Error(`${platform.id}: prepare() has no images to upload`);
  }
  const reports = platform.metrics.length > 0;
  if (reports !== (platform.readMetrics !== undefined) || reports !== (platform.metricsBatch !== undefined)) {
    throw new Error(`${platform.id}: metrics, metricsBatch and readMetrics() must agree`);
  }
  return platform;
}
