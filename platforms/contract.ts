/**
 * What a platform is to the rest of the house: a plain object whose first half is facts (limits,
 * capabilities, how safe a repeat is) and whose second half is behaviour that follows from them.
 * Everything that varies between platforms is read from here; no code outside platforms/ asks for
 * a platform by name.
 */
import type { ZodType } from 'zod';
import type { ImageFacts, TextFacts } from './content-facts.ts';
import type { HostedConnect } from './hosted.ts';
import type { ConnectedAccount, LoginRenewal, Session } from './login.ts';
import type { MailServer } from './mail.ts';
import type { MetricName, MetricsBatchFacts, MetricsReading, ReadPost } from './metrics.ts';
import type { InstallNeeds, PlatformApps, PlatformEndpoints } from './settings.ts';

export { type FailureKind, PlatformFailure } from './failure.ts';
export type { ImageFacts, TextFacts } from './content-facts.ts';
export type { ConnectedAccount, ConnectionLimits, LoginRenewal, Session } from './login.ts';
export type { MetricName, MetricNumbers, MetricsReading, ReadPost } from './metrics.ts';
export type { DiscordApp, PlatformApp, PlatformApps, PlatformEndpoints, TwilioAccount } from './settings.ts';

/** Places everyone can read, or channels that reach chosen people (docs/contract/README.md). */
export type PlatformKind = 'broadcast' | 'messaging';

/** How a platform carries a thread. */
export interface ThreadFacts {
  /** Replies that one post may carry. */
  readonly max: number;
  /**
   * What becomes of a thread that is refused partway. `take_down`: everything comes down again and the
   * post fails. `keep`: what is up stays up.
   */
  readonly onRefusal: 'take_down' | 'keep';
}

/** Sends that one process may have under way on a platform, so that one that hangs takes only its own lane. */
export interface ConcurrencyFacts {
  /** On the whole platform. */
  readonly perProcess: number;
  /** On one connection. */
  readonly perConnection: number;
}

/** Settings that hold what a send, or a read of numbers, costs the account, in cents (docs/contract/errors-and-limits.md#plans). */
export type FeeSetting = 'X_POST_FEE_CENTS' | 'X_LINK_POST_FEE_CENTS' | 'X_READ_FEE_CENTS';

/** The fees, where the platform charges. */
export interface FeeFacts {
  /** Setting with the fee of a post. */
  readonly post: FeeSetting;
  /** Setting with the fee of a post with a link; it is never less than the other. */
  readonly linkPost: FeeSetting;
  /** Whether the platform sees a link in a text. */
  readonly hasLink: (text: string) => boolean;
  /** Setting with the fee of one read of a post's numbers. They are read only for accounts that ask for it. */
  readonly read: FeeSetting;
}

/** What a second try of the same create call would do, and whether the first can be looked up. */
export interface RecoveryFacts {
  /**
   * For how many milliseconds after the first try the same call with the same token cannot make a
   * second post; 0 when the platform has no such aid, Infinity when it never forgets.
   */
  readonly repeatWithinMs: number;
  /** True when the platform can be asked whether a post with this token went out. */
  readonly readBack: boolean;
}

/** The facts of a platform. Each number's origin is in `source`. */
export interface PlatformFacts {
  readonly id: string;
  /** The name people know it by. */
  readonly name: string;
  readonly kind: PlatformKind;
  /** Present where each post counts toward the account's cap on messages a day (docs/contract/errors-and-limits.md#messages). */
  readonly countsAsMessage?: true;
  readonly text: TextFacts;
  readonly images: ImageFacts | null;
  /** How a post may carry replies under it; null when it may not. */
  readonly thread: ThreadFacts | null;
  /** Whether a post may carry a first comment. */
  readonly firstComment: boolean;
  /** Whether a sent post has a public address. */
  readonly permalink: boolean;
  /** The numbers it reports; empty when none. */
  readonly metrics: readonly MetricName[];
  /** Present exactly when it reports any. */
  readonly metricsBatch?: MetricsBatchFacts;
  /** Where it depends on the kind of login, what holds for the best of them; `recoveryOf` tells which. */
  readonly recovery: RecoveryFacts;
  readonly concurrency: ConcurrencyFacts;
  /** Absent where sending costs nothing. */
  readonly fees?: FeeFacts;
  /** Absent where nothing has to be set up. */
  readonly needs?: InstallNeeds;
  /** True where a profile may hold several connections to the same account (docs/contract/connections.md#connections). */
  readonly repeatsAccounts?: true;
  /** Ways to link an account on this install, e.g. `credentials`. */
  readonly connect: readonly string[];
  /** Version of the platform's API that is spoken; null when it has none. */
  readonly apiVersion: string | null;
  /** Pages the facts were taken from. */
  readonly source: readonly string[];
}

/** Values that survive being stored as JSON. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/** A fetch that leaves the house: guarded, bounded, and injected so that tests stay on the machine. */
export type Fetch = (url: string | URL, init?: FetchInit) => Promise<Response>;

/** The part of RequestInit that adapters use; redirects are never followed. */
export interface FetchInit {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array | FormData | URLSearchParams;
  readonly signal?: AbortSignal;
  /** Most bytes of the answer's body, in place of what the outbound guard takes by itself. */
  readonly maxResponseBytes?: number;
}

/** What an adapter is handed besides its arguments. It reaches nothing else. */
export interface PlatformIo {
  readonly fetch: Fetch;
  /** The present instant of the house's clock. */
  readonly now: () => Date;
  /** Resolves after `ms` milliseconds of real time; rejects when `signal` aborts. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Aborts when the call has used up its time (30 s for a send). */
  readonly signal: AbortSignal;
  /** Origins from configuration (docs/contract/running.md#settings), without a trailing slash, by variable name. */
  readonly endpoints: PlatformEndpoints;
  readonly apps: PlatformApps;
  /** Null where the operator has set up none. */
  readonly mail: MailServer | null;
}

/** Which part of a send a call makes: the post itself, a reply under it, or its first comment. */
export type PartStep = 'head' | 'reply' | 'first_comment';

/** An image on its way out: already of a type and size that the platform takes, without its location. */
export interface OutgoingImage {
  /** Id of the upload it was made from. */
  readonly mediaId: string;
  readonly bytes: Uint8Array;
  readonly contentType: string;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** Empty when there is none. */
  readonly altText: string;
  /** Public address of these bytes, good for an hour; present where the platform fetches images. */
  readonly url?: string;
}

/** A post on its way out, before it is published. */
export interface OutgoingPost {
  readonly text: string;
  readonly images: readonly OutgoingImage[];
}

/** One irreversible call to a platform: one ledger row. */
export interface SendPart {
  readonly step: PartStep;
  /** Position among the parts of the same step, from 0. */
  readonly index: number;
  readonly text: string;
  /** Stored before the first try and the same on every try; what makes a repeat recognisable. */
  readonly token: string;
  /** Instant of the first try; goes into records that carry their own creation time. */
  readonly startedAt: Date;
  /**
   * Instant of the earliest send of this part of which nobody could say what became of it, when the caller
   * has had it sent again (docs/contract/connections.md#linking-with-credentials, `force`); absent when there is none.
   */
  readonly inDoubtSince?: Date;
  /** What `prepare` gave for this part; null when there was nothing to prepare. */
  readonly prepared: Json | null;
  /** Its images, where the platform has no `prepare`: they go out in the call itself. Absent when it has none. */
  readonly images?: readonly OutgoingImage[];
  /** The head post, for every part but the head itself. */
  readonly root?: Published;
  /** The part before this one in a thread. */
  readonly parent?: Published;
}

/** What a platform says of a part that is up. */
export interface Published {
  readonly platformPostId: string;
  /** Permalink; null where the platform has none. */
  readonly url: string | null;
  /** Whatever else replies and deletes will need, such as a content hash. */
  readonly ref?: JsonObject;
}

/** A platform's behaviour over its facts. `Credential` is what is stored, encrypted. */
export interface Platform<Credential = unknown, Input = unknown> extends PlatformFacts {
  /** Shape of `credentials` in POST /connections. */
  readonly credentials: ZodType<Input>;
  /** How a customer links an account on the hosted connect page; null when that cannot be done there. */
  readonly hosted: HostedConnect<Input> | null;
  /** Absent where logins do not end, or nobody but the customer can renew them. */
  readonly renewal?: LoginRenewal<Credential>;
  /** Checks a login against the platform. Throws PlatformFailure. */
  connectAccount(input: Input, io: PlatformIo): Promise<ConnectedAccount<Credential>>;
  /**
   * Uploads the images of a post, which publishes nothing yet. What it gives is stored before the part
   * is made and handed to every try of it. Absent where images only go out in the call that publishes,
   * and where there is `assemble`.
   */
  prepare?(session: Session<Credential>, images: readonly OutgoingImage[], io: PlatformIo): Promise<Json>;
  /**
   * Hands over the whole post, with images or without, on platforms that take it first and publish it by a
   * call of its own. It publishes nothing; what it gives is kept like that of `prepare`.
   */
  assemble?(session: Session<Credential>, post: OutgoingPost, io: PlatformIo): Promise<Json>;
  /** Makes one part. Throws PlatformFailure; anything else it throws counts as `unknown`. */
  publish(session: Session<Credential>, part: SendPart, io: PlatformIo): Promise<Published>;
  /** What can be done after a lost answer with this login, where that is less than `recovery` says. */
  recoveryOf?(credential: Credential): RecoveryFacts;
  /** Looks for a part of which the answer was lost. Present exactly when recovery.readBack. */
  readBack?(session: Session<Credential>, part: SendPart, io: PlatformIo): Promise<Published | null>;
  /** Takes one part down; what is already gone counts as taken down. */
  remove?(session: Session<Credential>, published: Published, io: PlatformIo): Promise<void>;
  /**
   * Reads the numbers of at most `metricsBatch.max` posts; of several accounts where that is shared, and then
   * `session` is that of one of them. Present exactly when `metrics` is not empty. Throws PlatformFailure.
   */
  readMetrics?(session: Session<Credential>, posts: readonly ReadPost[], io: PlatformIo): Promise<MetricsReading>;
  /** Makes the token of a part where the platform prescribes its form; otherwise the attempt's id serves. */
  makeToken?(startedAt: Date, seed: string): string;
}

/** A platform whose types have been forgotten, as the registry holds them. */
// eslint-disable-next-line typescript/no-explicit-any -- the registry mixes credentials of all platforms; each adapter's own zod schema is what checks them
export type AnyPlatform = Platform<any, any>;

/** Checks that behaviour follows the facts and gives the platform its exact type. */
export function definePlatform<Credential, Input>(platform: Platform<Credential, Input>): Platform<Credential, Input> {
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
