/** What an operation declares besides its input and output. REST, MCP, the API document and the audit read it. */
import type { ErrorCode } from '../errors/codes.ts';
import type { Scope } from '../services/access/scopes.ts';
import type { Toolset } from './toolsets.ts';

/**
 * Who may call an operation. `key`: any key. `account`: an unscoped key. `live-account`: an unscoped live key.
 * `public`: anyone.
 */
export type Access = 'public' | 'key' | 'account' | 'live-account';

/** How an operation appears to AI agents; or, as a sentence, why it does not. */
export type ToolMeta =
  | {
      /** snake_case verb_noun. */
      readonly name: string;
      readonly toolset: Toolset;
      readonly title: string;
      readonly readOnly: boolean;
      readonly destructive: boolean;
      readonly idempotent: boolean;
      /** True when it calls external platforms. */
      readonly openWorld: boolean;
      /** The question for a person before the tool runs, if the client can ask; for tools with irreversible effects. */
      readonly confirmation?: string;
    }
  | { readonly none: string };

/** A body that is not JSON: its text or bytes become one field of the input. */
export interface RawBodyMeta {
  readonly field: string;
  readonly contentTypes: readonly string[];
  /** The expected type, for the error when another Content-Type is sent. */
  readonly expected: string;
  /** Fields that are read from the query string although the method has a body. */
  readonly query: readonly string[];
  /**
   * Set when the body is bytes and not text. The bytes are base64-encoded into the field and read only for a valid key.
   */
  readonly bytes?: {
    /** Largest body in bytes. */
    readonly max: number;
    /** Code of the answer to a larger body. */
    readonly tooLarge: ErrorCode;
    /** Field that receives the Content-Type, which is then required. */
    readonly contentTypeField: string;
  };
}

/**
 * An answer that REST gives as bytes. On other surfaces it is the operation's result:
 * `{ bytes, contentType, fileName }`, with the bytes in base64.
 */
export interface RawAnswerMeta {
  readonly contentTypes: readonly string[];
  /** Seconds that the caller may cache it. */
  readonly maxAgeSeconds: number;
}

/** The subject of a change. */
export type ChangedObject =
  /** The ids at this path of the answer. A list on the path means all of its items, e.g. `results.postId`. */
  | { readonly type: string; readonly answer: string }
  /** The id that the procedure sets with `ctx.setSubject`, when the answer does not contain it. */
  | { readonly type: string; readonly setsSubject: true }
  /** The account itself. */
  | 'account'
  /** For a POST that stores nothing, although it needs a write scope. */
  | 'nothing';

/** Everything an operation declares besides its input and output. */
export interface OperationMeta {
  readonly openapi: {
    readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
    /** Path below the API root, parameters in braces. */
    readonly path: `/${string}`;
    readonly tags: string[];
    readonly summary: string;
    readonly description?: string;
  };
  /** HTTP status of a success; 200 when left out. */
  readonly successStatus?: 201;
  readonly access: Access;
  /**
   * The scope that an access token or a scoped key needs; null when no scope helps, because anyone may call it or no
   * agent should.
   */
  readonly scope: Scope | null;
  /** Codes it can answer, besides those of every operation with its access. */
  readonly errors: readonly ErrorCode[];
  readonly tool: ToolMeta;
  /**
   * Bucket that its requests count in. Default: the path template, so that all methods of a path share one. `none`
   * means not counted. Public operations are counted per IP.
   */
  readonly bucket?: string;
  /**
   * True when a caller whose posts need approval may not call it, because it changes what goes out, or when, without a
   * post that a person could approve.
   */
  readonly refusedWhereSupervised?: true;
  readonly rawBody?: RawBodyMeta;
  readonly rawAnswer?: RawAnswerMeta;
  /** True when the body must contain at least one of its optional fields; always true for a PATCH. */
  readonly needsOneField?: true;
  /** True when it takes an Idempotency-Key: a header in REST, the field `idempotencyKey` elsewhere. */
  readonly takesIdempotencyKey?: true;
  /** The subject of its audit entries. Default: the last id in its path. */
  readonly changes?: ChangedObject;
}

/** HTTP status of the operation's success over REST. */
export function successStatusOf(meta: OperationMeta): number {
  return meta.successStatus ?? 200;
}

/** Bucket that an operation's requests count in; null for one that is not counted. */
export function bucketOf(meta: OperationMeta): string | null {
  if (meta.bucket === 'none') return null;
  return meta.bucket ?? meta.openapi.path;
}
