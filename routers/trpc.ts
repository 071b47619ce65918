/** The tRPC instance: the metadata that an operation declares, and the checks that every operation passes. */
import { initTRPC, TRPCError } from '@trpc/server';
import { ERRORS, type ErrorCode } from '../errors/codes.ts';
import { errorBody, publicError } from '../errors/error-body.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { Surface } from '../entities/audit-entry.ts';
import { beginChange, type BegunChange } from './begin-change.ts';
import { type ChangedObject, isChange } from './changed-object.ts';
import { checkInputBounds } from './schemas/input-bounds.ts';
import { declaredErrors } from './declared-errors.ts';
import type { Context } from '../services/context.ts';
import { bodyHash } from '../services/idempotency/body-hash.ts';
import type { KeyedRequest } from '../services/idempotency/idempotency.ts';
import type { Caller } from '../services/keys/caller.ts';
import { requireScope } from '../services/keys/require-scope.ts';
import type { Scope } from '../services/keys/scopes.ts';
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
  readonly rawBody?: RawBodyMeta;
  readonly rawAnswer?: RawAnswerMeta;
  /** True when the body must contain at least one of its optional fields; always true for a PATCH. */
  readonly needsOneField?: true;
  /** True when it takes an Idempotency-Key: a header in REST, the field `idempotencyKey` elsewhere. */
  readonly takesIdempotencyKey?: true;
  /** The subject of its audit entries. Default: the last id in its path. */
  readonly changes?: ChangedObject;
}

/** The progress of an operation. */
export interface Progress {
  readonly finished: number;
  readonly total: number;
  /** What finished, in a sentence. */
  readonly message: string;
}

/** The context that an operation runs with. */
export interface OperationContext {
  readonly services: Context;
  /** Null when the request had no valid key. */
  readonly caller: Caller | null;
  readonly requestId: string;
  /** Receives progress while the operation runs, if the client asked for it. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** The surface that the request came through. */
  readonly surface: Surface;
  /** Adds a header to the answer, on surfaces that have headers. */
  readonly setHeader?: (name: string, value: string) => void;
  /** Counts the request in a bucket; undefined when the surface has counted it already. */
  readonly admit?: (bucket: string, access: Access) => Promise<void>;
}

/** Our codes for requests that tRPC refuses before it reaches an operation. */
const REFUSED_BY_TRPC: Partial<Record<TRPCError['code'], ErrorCode>> = {
  PARSE_ERROR: 'invalid_request',
  BAD_REQUEST: 'invalid_request',
  NOT_FOUND: 'not_found',
  METHOD_NOT_SUPPORTED: 'method_not_allowed',
  PAYLOAD_TOO_LARGE: 'request_too_large',
  UNSUPPORTED_MEDIA_TYPE: 'unsupported_content_type',
};

/** Like {@link publicError}, for any error of a call through tRPC. */
export function callError(error: unknown, input?: unknown): ServiceError {
  const found = publicError(error, input);
  if (found.code !== 'internal_server_error' || !(error instanceof TRPCError)) return found;
  const code = REFUSED_BY_TRPC[error.code];
  return code === undefined ? found : new ServiceError(code, undefined, { cause: error });
}

const t = initTRPC
  .context<OperationContext>()
  .meta<OperationMeta>()
  .create({
    // tRPC's own shape, without a stack, with our body under `data.error`.
    errorFormatter: ({ shape, error, ctx, input }) => ({
      code: shape.code,
      message: shape.message,
      data: {
        code: shape.data.code,
        httpStatus: shape.data.httpStatus,
        error: errorBody(callError(error, input), ctx?.requestId ?? '', docsUrlOf(ctx)),
      },
    }),
  });

function docsUrlOf(ctx: OperationContext | undefined): string {
  return ctx === undefined ? '/docs/errors' : `${ctx.services.config.publicUrl}/docs/errors`;
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

/** Log message for an operation that answers with a code missing from its document; tests fail on it. */
export const UNDECLARED = 'an operation answered with a code it does not declare';

// tRPC derives its status from its own codes, so a ServiceError is given the tRPC code that its table names.
const nameErrors = t.middleware(async ({ ctx, meta, path, next, getRawInput }) => {
  const result = await next();
  if (result.ok) return result;
  const error = callError(result.error, await getRawInput().catch(() => undefined));
  if (meta !== undefined && !declaredErrors(meta).includes(error.code)) {
    ctx.services.log.error({ operation: path, code: error.code }, UNDECLARED);
  }
  if (error.retryAfterSeconds !== undefined) ctx.setHeader?.('retry-after', String(error.retryAfterSeconds));
  throw new TRPCError({ code: ERRORS[error.code].trpc, message: error.message, cause: error });
});

const count = t.middleware(async ({ ctx, meta, next }) => {
  const bucket = meta === undefined ? null : bucketOf(meta);
  if (meta !== undefined && bucket !== null) await ctx.admit?.(bucket, meta.access);
  return next();
});

const requireKey = t.middleware(async ({ ctx, next }) => {
  const { caller } = ctx;
  if (caller === null) throw new ServiceError('unauthorized');
  return next({ ctx: { ...ctx, caller } });
});

// The first step of validation (docs/contract/errors-and-limits.md#order-of-a-request), before any schema reads the
// items.
const boundInput = t.middleware(async ({ getRawInput, next }) => {
  checkInputBounds(await getRawInput());
  return next();
});

// Every counted request is recorded, even a refused one: an attempt without permission is worth knowing.
const audit = t.middleware(async ({ ctx, meta, path, getRawInput, next }) => {
  const { caller } = ctx;
  const about: BegunChange['about'] = () => undefined;
  if (caller === null || meta === undefined || !isChange(meta)) return next({ ctx: { about } });
  const input = await getRawInput().catch(() => undefined);
  const change = await beginChange({ ctx, caller, meta, operation: path, input });
  const result = await next({ ctx: { about: change.about } });
  await (result.ok ? change.settle('ok', result.data) : change.settle(callError(result.error, input).code));
  return result;
});

const requireAccess = t.middleware(async ({ ctx, meta, next }) => {
  if (ctx.caller !== null) requireScope(ctx.caller, meta?.scope ?? null);
  const whole = meta?.access === 'account' || meta?.access === 'live-account';
  if (whole && ctx.caller?.profileId != null) {
    throw new ServiceError(
      'forbidden',
      'This key or access token reaches one profile only; this operation needs one that reaches the whole account.',
    );
  }
  if (meta?.access === 'live-account' && ctx.caller?.mode === 'test') {
    throw new ServiceError('forbidden', 'This key or access token is for test mode; this operation needs a live one.');
  }
  return next();
});

export const router = t.router;

/** Base of the operations that anyone may call. */
export const publicProcedure = t.procedure.use(nameErrors).use(count).use(boundInput);

/**
 * Base of the operations that need an API key. A request without a key is not counted. The rate limit comes next, then
 * `access` (docs/contract/errors-and-limits.md#order-of-a-request). The audit records every request that passes the
 * rate limit.
 */
export const keyedProcedure = t.procedure
  .use(nameErrors)
  .use(requireKey)
  .use(count)
  .use(audit)
  .use(requireAccess)
  .use(boundInput);

// Hashes the input as sent, before trimming and defaults: the same body means the same JSON value
// (docs/contract/posts.md#what-is-stored).
const readKeyedRequest = t.middleware(async ({ path, getRawInput, next }) => {
  const raw = await getRawInput();
  const { idempotencyKey, ...body } = typeof raw === 'object' && raw !== null ? (raw as Record<string, unknown>) : {};
  const keyed: KeyedRequest | null =
    typeof idempotencyKey === 'string' ? { key: idempotencyKey, operation: path, hash: bodyHash(body) } : null;
  return next({ ctx: { keyed } });
});

/** Base of the operations that take an Idempotency-Key: `ctx.keyed` is the request, or null when it had no key. */
export const idempotentProcedure = keyedProcedure.use(readKeyedRequest);

/** Marks an answer as that of an earlier request (docs/contract/posts.md#idempotency). */
export function markReplay(ctx: { setHeader?: OperationContext['setHeader'] | undefined }, replayed: boolean): void {
  if (replayed) ctx.setHeader?.('idempotent-replayed', 'true');
}
