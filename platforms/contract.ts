/**
 * What a platform is to the rest of the house: a plain object whose first half is facts (limits,
 * capabilities, how safe a repeat is) and whose second half is behaviour that follows from them.
 * Everything that varies between platforms is read from here; no code outside platforms/ asks for
 * a platform by name.
 */
import type { ZodType } from 'zod';
import type { HostedConnect } from './hosted.ts';
import type { PlatformApps, PlatformEndpoints } from './settings.ts';
import type { TextUnit } from './text.ts';

export type { PlatformApp, PlatformApps, PlatformEndpoints } from './settings.ts';

/** Places everyone can read, or channels that reach chosen people (spec: What the service does). */
export type PlatformKind = 'broadcast' | 'messaging';

/** A number that posts are read back with (spec: Metrics read). */
export type MetricName = 'impressions' | 'likes' | 'reposts' | 'replies' | 'clicks';

/** How long a text may be and how its length is counted. */
export interface TextFacts {
  /** Largest length in `unit`. */
  readonly maxLength: number;
  readonly unit: TextUnit;
  /** Largest size in UTF-8 bytes, where the platform limits that too. */
  readonly maxBytes?: number;
  /** Length that every http(s) link counts as, where links do not count in full. */
  readonly urlLength?: number;
}

/** Which images a platform takes. */
export interface ImageFacts {
  /** Images a post may carry. */
  readonly max: number;
  /** Bytes of one image. */
  readonly maxBytes: number;
  /** Media types the platform takes as they are. */
  readonly types: readonly string[];
  /** Characters of alt text; null when the platform has none and drops it. */
  readonly altTextMax: number | null;
  /** Pixels of one image, where the platform limits them. */
  readonly maxPixels?: number;
  /** Pixels from side to side, where the platform limits them. */
  readonly maxWidth?: number;
  /** Pixels from top to bottom, where the platform limits them. */
  readonly maxHeight?: number;
}

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

/** Settings that hold what a send costs the account, in cents (D18). */
export type FeeSetting = 'X_POST_FEE_CENTS' | 'X_LINK_POST_FEE_CENTS';

/** The fee of a send, where the platform charges for one. */
export interface FeeFacts {
  /** Setting with the fee of a post. */
  readonly post: FeeSetting;
  /** Setting with the fee of a post with a link; it is never less than the other. */
  readonly linkPost: FeeSetting;
  /** Whether the platform sees a link in a text. */
  readonly hasLink: (text: string) => boolean;
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
  readonly recovery: RecoveryFacts;
  readonly concurrency: ConcurrencyFacts;
  /** Absent where sending costs nothing. */
  readonly fees?: FeeFacts;
  /** Ways to link an account on this install, e.g. `credentials`. */
  readonly connect: readonly string[];
  /** Version of the platform's API that is spoken; null when it has none. */
  readonly apiVersion: string | null;
  /** Pages the facts were taken from. */
  readonly source: readonly string[];
}

/** Limits that one server of a federated platform sets for itself, stored with the connection. */
export interface ConnectionLimits {
  readonly text?: Partial<TextFacts>;
  readonly images?: Partial<ImageFacts>;
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
  /** Origins from configuration (D3), without a trailing slash, by variable name. */
  readonly endpoints: PlatformEndpoints;
  readonly apps: PlatformApps;
}

/** The stored login of a connection, and the only way to replace it. */
export interface Session<Credential> {
  readonly credential: Credential;
  /** The account's id on the platform. */
  readonly platformAccountId: string;
  /** The account's handle on the platform. */
  readonly handle: string;
  /**
   * Replaces a login that the platform no longer takes. At most one renewal of a connection runs at
   * a time over all processes; whoever loses the race gets the winner's login. The new login is
   * stored before it is returned.
   */
  renew(refresh: (stale: Credential) => Promise<Credential>): Promise<Credential>;
}

/** An account that has just been checked against its platform. */
export interface ConnectedAccount<Credential> {
  /** The platform's own id of the account; two connections with the same one are the same account. */
  readonly platformAccountId: string;
  /** What people call the account, e.g. `alice.example`. Slugs are made from it. */
  readonly handle: string;
  readonly credential: Credential;
  readonly limits?: ConnectionLimits;
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
  /** What `prepare` gave for the images of this part; null when it has none. */
  readonly prepared: Json | null;
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
  /** Checks a login against the platform. Throws PlatformFailure. */
  connectAccount(input: Input, io: PlatformIo): Promise<ConnectedAccount<Credential>>;
  /**
   * Uploads the images of a post, which publishes nothing yet. What it gives is stored before the part
   * is made and handed to every try of it. Present exactly when the platform takes images.
   */
  prepare?(session: Session<Credential>, images: readonly OutgoingImage[], io: PlatformIo): Promise<Json>;
  /** Makes one part. Throws PlatformFailure; anything else it throws counts as `unknown`. */
  publish(session: Session<Credential>, part: SendPart, io: PlatformIo): Promise<Published>;
  /** Looks for a part of which the answer was lost. Present exactly when recovery.readBack. */
  readBack?(session: Session<Credential>, part: SendPart, io: PlatformIo): Promise<Published | null>;
  /** Takes one part down; what is already gone counts as taken down. */
  remove?(session: Session<Credential>, published: Published, io: PlatformIo): Promise<void>;
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
  if ((platform.images !== null) !== (platform.prepare !== undefined)) {
    throw new Error(`${platform.id}: images and prepare() must agree`);
  }
  return platform;
}

/**
 * How a call can fail. `rejected`: refused, nothing is up. `unavailable`: not taken for now, nothing
 * is up. `reconnect`: the login is dead, nothing is up. `unknown`: no answer, so it may be up.
 */
export type FailureKind = 'rejected' | 'unavailable' | 'reconnect' | 'unknown';

/** The only error an adapter throws on purpose. `message` is safe to show to the caller. */
export class PlatformFailure extends Error {
  override name = 'PlatformFailure';
  readonly kind: FailureKind;
  /** For how many milliseconds the platform asked to be left alone, on this login; undefined when it did not. */
  readonly retryAfterMs: number | undefined;

  constructor(
    kind: FailureKind,
    message: string,
    options: { cause?: unknown; retryAfterMs?: number | undefined } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.retryAfterMs = options.retryAfterMs;
  }
}
