/** The procedures that operations are built from, with the checks that every request passes. */
import { initTRPC, TRPCError } from '@trpc/server';
import { ERRORS, type ErrorCode } from '../errors/codes.ts';
import { errorBody, publicError } from '../errors/error-body.ts';
import { ServiceError } from '../errors/service-error.ts';
import { beginAuditEntry, type OpenAuditEntry } from './audit-entry.ts';
import { isChange } from './changed-object.ts';
import { checkInputBounds } from './schemas/input-bounds.ts';
import { declaredErrors } from './declared-errors.ts';
import { bodyHash } from '../services/idempotency/body-hash.ts';
import type { KeyedRequest } from '../services/idempotency/idempotency.ts';
import { requireScope, roleRefusal } from '../services/access/require-scope.ts';
import { recordChange } from '../services/audit/record-change.ts';
import { ownerChange } from '../services/people/owner-change.ts';
import type { OperationContext } from './context.ts';
import { bucketOf, type OperationMeta } from './meta.ts';

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
  const setSubject: OpenAuditEntry['setSubject'] = () => undefined;
  if (caller === null || meta === undefined || !isChange(meta)) return next({ ctx: { setSubject } });
  const input = await getRawInput().catch(() => undefined);
  const change = await beginAuditEntry({ ctx, caller, meta, operation: path, input });
  const result = await next({ ctx: { setSubject: change.setSubject } });
  await (result.ok ? change.settle('ok', result.data) : change.settle(callError(result.error, input).code));
  return result;
});

const requireAccess = t.middleware(async ({ ctx, meta, next }) => {
  if (ctx.caller !== null) requireScope(ctx.caller, meta?.scope ?? null);
  const whole = meta?.access === 'account' || meta?.access === 'live-account';
  if (whole && ctx.caller?.profileId != null) {
    throw new ServiceError(
      'forbidden',
      'This key or access token is limited to one profile; this operation needs one that reaches the whole account.',
    );
  }
  if (meta?.access === 'live-account' && ctx.caller?.mode === 'test') {
    throw new ServiceError('forbidden', 'This key or access token is in test mode; this operation needs a live one.');
  }
  return next();
});

export const router = t.router;
export const mergeRouters = t.mergeRouters;

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

const requirePerson = t.middleware(async ({ ctx, path, next }) => {
  const { caller, person, visit } = ctx;
  if (caller === null || person === undefined || visit === undefined) throw new ServiceError('unauthorized');
  await ctx.admit?.(path, 'account');
  return next({ ctx: { ...ctx, caller, person, visit } });
});

/**
 * Base of the operations of the console that need a signed-in person. Their services record what changed in the audit.
 */
export const personProcedure = t.procedure.use(nameErrors).use(requirePerson).use(boundInput);

// Successful changes are recorded in their transaction, with their subject.
const auditRefusal = t.middleware(async ({ ctx, type, path, next }) => {
  const result = await next();
  const { person, visit, services } = ctx;
  if (result.ok || type !== 'mutation' || person === undefined || visit === undefined) return result;
  const { code } = callError(result.error);
  // Requests beyond the rate limit, and passwords that are not checked, cost the caller nothing.
  if (code === 'too many requests') return result;
  const act = { operation: `people.${path.split('.').at(-1)}`, outcome: code, object: null } as const;
  await recordChange(services, ownerChange(person, visit, act));
  return result;
});

const requireOwner = t.middleware(async ({ ctx, next }) => {
  if (ctx.person?.role !== 'owner') throw roleRefusal(ctx.person?.role ?? 'viewer', null);
  return next();
});

/** Base of the operations that only owners may use. The audit records refusals too. */
export const ownerProcedure = t.procedure
  .use(nameErrors)
  .use(requirePerson)
  .use(auditRefusal)
  .use(requireOwner)
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
