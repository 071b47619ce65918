/** The tRPC instance: what an operation declares about itself, and the checks that every operation passes. */
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

/** Who may call an operation. `key`: any key. `account`: an unscoped key. `live-account`: an unscoped live key. `public`: anyone. */
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
      /** True when it reaches platforms outside the house. */
      readonly openWorld: boolean;
      /** What a person is asked before it runs, where the client can ask; on tools whose work nobody can undo. */
      readonly confirmation?: string;
    }
  | { readonly none: string };

/** A body that is not JSON: its text or bytes become one field of the input. */
export interface RawBodyMeta {
  readonly field: string;
  readonly contentTypes: readonly string[];
  /** What to say when another Content-Type is sent. */
  readonly expected: string;
  /** Fields that are read from the query string although the method has a body. */
  readonly query: readonly string[];
  /** Set when the body is bytes and not text: they reach the field in base64, and are read only for a good key. */
  readonly bytes?: {
    /** Largest body. */
    readonly max: number;
    /** Code of the answer to a larger one. */
    readonly tooLarge: ErrorCode;
    /** Field that is given the Content-Type, which must then be sent. */
    readonly contentTypeField: string;
  };
}

/**
 * An answer that REST gives as bytes. Elsewhere it is what the operation gives: `{ bytes, contentType,
 * fileName }`, with the bytes in base64.
 */
export interface RawAnswerMeta {
  readonly contentTypes: readonly string[];
  /** Seconds that the caller may keep it. */
  readonly maxAgeSeconds: number;
}

/** Everything an operation declares beside its input and output. */
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
  /** What an access token, or a key with scopes, must have been given for it; null where no scope helps, since anyone may call it or no agent should. */
  readonly scope: Scope | null;
  /** Codes it can answer, besides those every operation of its access can. */
  readonly errors: readonly ErrorCode[];
  readonly tool: ToolMeta;
  /**
   * Bucket its requests count in; the path template when left out, so that all methods of a path
   * share one. `none` for an operation that is not counted. Public operations are counted per IP.
   */
  readonly bucket?: string;
  readonly rawBody?: RawBodyMeta;
  readonly rawAnswer?: RawAnswerMeta;
  /** True when the body must name at least one of its optional fields, as that of a PATCH always must. */
  readonly needsOneField?: true;
  /** True when it takes an Idempotency-Key: a header in REST, the field `idempotencyKey` elsewhere. */
  readonly takesIdempotencyKey?: true;
  /** What the audit says that it was about; left out, the last id in its path. */
  readonly changes?: ChangedObject;
}

/** How far an operation has come. */
export interface Progress {
  readonly finished: number;
  readonly total: number;
  /** What finished, in a sentence. */
  readonly message: string;
}

/** What an operation runs with. */
export interface OperationContext {
  readonly services: Context;
  /** Null when no valid key came with the request. */
  readonly caller: Caller | null;
  readonly requestId: string;
  /** Hears how far the operation has come, where somebody wants to know while it runs. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** The way it came. */
  readonly surface: Surface;
  /** Adds a header to the answer, on surfaces that have headers. */
  readonly setHeader?: (name: string, value: string) => void;
  /** Counts the request in a bucket; undefined when the surface has counted it already. */
  readonly admit?: (bucket: string, access: Access) => Promise<void>;
}

/** What tRPC refuses by itself, before any operation is reached, has a code of ours too. */
const REFUSED_BY_TRPC: Partial<Record<TRPCError['code'], ErrorCode>> = {
  PARSE_ERROR: 'invalid_request',
  BAD_REQUEST: 'invalid_request',
  NOT_FOUND: 'not_found',
  METHOD_NOT_SUPPORTED: 'method_not_allowed',
  PAYLOAD_TOO_LARGE: 'request_too_large',
  UNSUPPORTED_MEDIA_TYPE: 'unsupported_content_type',
};

/** As {@link publicError}, for whatever a call through tRPC ends in. */
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
    // tRPC's own shape, without a stack, and our body under `data.error`.
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

/** HTTP status that an operation's success has over REST. */
export function successStatusOf(meta: OperationMeta): number {
  return meta.successStatus ?? 200;
}

/** Bucket that an operation's requests count in; null for one that is not counted. */
export function bucketOf(meta: OperationMeta): string | null {
  if (meta.bucket === 'none') return null;
  return meta.bucket ?? meta.openapi.path;
}

/** Logged when an operation answers with a code that its document does not show; tests fail on it. */
export const UNDECLARED = 'an operation answered with a code it does not declare';

// tRPC's own status comes from its own codes, so a ServiceError is given the one its table names.
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

// The first step of validation (docs/contract/errors-and-limits.md#order-of-a-request), before anything reads the items.
const boundInput = t.middleware(async ({ getRawInput, next }) => {
  checkInputBounds(await getRawInput());
  return next();
});

// A request that was counted is written, whatever becomes of it: who asks for what they may not is worth knowing.
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
 * Base of the operations that need an API key: without one nothing is counted; then comes the rate, then `access` (docs/contract/errors-and-limits.md#order-of-a-request).
 * What the rate lets through stands in the audit.
 */
export const keyedProcedure = t.procedure
  .use(nameErrors)
  .use(requireKey)
  .use(count)
  .use(audit)
  .use(requireAccess)
  .use(boundInput);

// The hash is of what was sent, before trimming and defaults: the same body means the same JSON value (docs/contract/posts.md#what-is-stored).
const readKeyedRequest = t.middleware(async ({ path, getRawInput, next }) => {
  const raw = await getRawInput();
  const { idempotencyKey, ...body } = typeof raw === 'object' && raw !== null ? (raw as Record<string, unknown>) : {};
  const keyed: KeyedRequest | null =
    typeof idempotencyKey === 'string' ? { key: idempotencyKey, operation: path, hash: bodyHash(body) } : null;
  return next({ ctx: { keyed } });
});

/** Base of the operations that take an Idempotency-Key: `ctx.keyed` is the request, null when it came without one. */
export const idempotentProcedure = keyedProcedure.use(readKeyedRequest);

/** Marks an answer as that of an earlier request (docs/contract/posts.md#idempotency). */
export function markReplay(ctx: { setHeader?: OperationContext['setHeader'] | undefined }, replayed: boolean): void {
  if (replayed) ctx.setHeader?.('idempotent-replayed', 'true');
}
