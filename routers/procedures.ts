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
import type { Caller } from '../services/access/caller.ts';
import { isSupervised } from '../services/access/limits.ts';
import type { Span, SpanStart } from '../services/ports/tracer.ts';
import type { OperationContext } from './context.ts';
import { latestCaller } from './latest-caller.ts';
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

/** What the checks before an operation see of a call. */
interface Call {
  readonly ctx: Pick<OperationContext, 'services' | 'caller' | 'requestId' | 'surface'> & {
    readonly setHeader?: OperationContext['setHeader'] | undefined;
    readonly admit?: OperationContext['admit'] | undefined;
  };
  readonly meta: OperationMeta | undefined;
  readonly path: string;
  readonly getRawInput: () => Promise<unknown>;
}

/**
 * Runs a call and gives its error our code. tRPC derives its status from its own codes, so a ServiceError is given the
 * tRPC code that its table names.
 */
function withNamedErrors<Result extends { readonly ok: boolean }>(
  call: Call,
  run: () => Promise<Result>,
): Promise<Result> {
  return call.ctx.services.tracer.span(spanOf(call), (span) => nameErrorsOf(call, span, run));
}

function spanOf({ ctx, meta, path }: Call): SpanStart {
  const { caller, surface } = ctx;
  const tool = surface === 'mcp' && meta !== undefined && 'name' in meta.tool ? meta.tool.name : undefined;
  return {
    name: path,
    attributes: {
      'rpc.method': path,
      'gen_ai.tool.name': tool,
      'carillon.surface': surface,
      'carillon.account.id': caller?.accountId,
    },
  };
}

async function nameErrorsOf<Result extends { readonly ok: boolean }>(
  call: Call,
  span: Span,
  run: () => Promise<Result>,
): Promise<Result> {
  const { ctx, meta, path } = call;
  let thrown: unknown;
  try {
    const result = await run();
    if (result.ok) return result;
    thrown = (result as { readonly error?: unknown }).error;
  } catch (error) {
    thrown = error;
  }
  const error = callError(thrown, await inputOf(call));
  if (meta !== undefined && !declaredErrors(meta).includes(error.code)) {
    ctx.services.log.error({ operation: path, code: error.code }, UNDECLARED);
  }
  // As for HTTP, a refused request is no failure of the server.
  if (ERRORS[error.code].status >= 500) span.fail(error.code);
  else span.set({ 'error.type': error.code });
  if (error.retryAfterSeconds !== undefined) ctx.setHeader?.('retry-after', String(error.retryAfterSeconds));
  throw new TRPCError({ code: ERRORS[error.code].trpc, message: error.message, cause: error });
}

/** The input as it was sent; undefined when it cannot be read. */
async function inputOf({ getRawInput }: Call): Promise<unknown> {
  try {
    return await getRawInput();
  } catch {
    return undefined;
  }
}

/** Counts the request where the surface has not counted it yet. */
async function countCall({ ctx, meta }: Call): Promise<void> {
  const bucket = meta === undefined ? null : bucketOf(meta);
  if (meta !== undefined && bucket !== null) await ctx.admit?.(bucket, meta.access);
}

function checkAccess(caller: Caller, meta: OperationMeta | undefined): void {
  requireScope(caller, meta?.scope ?? null);
  if (meta?.refusedWhereSupervised === true && isSupervised(caller)) {
    throw new ServiceError(
      'forbidden',
      'Posts of this key or agent need approval or follow a policy, and this operation would change what goes out in another way. Ask an owner of the account.',
    );
  }
  const whole = meta?.access === 'account' || meta?.access === 'live-account';
  if (whole && caller.profileId !== null) {
    throw new ServiceError(
      'forbidden',
      'This key or access token is limited to one profile; this operation needs one that reaches the whole account.',
    );
  }
  if (meta?.access === 'live-account' && caller.mode === 'test') {
    throw new ServiceError('forbidden', 'This key or access token is in test mode; this operation needs a live one.');
  }
}

/** The first step of validation (docs/contract/errors-and-limits.md#order-of-a-request), before any schema reads it. */
async function checkBounds({ getRawInput }: Call): Promise<void> {
  checkInputBounds(await getRawInput());
}

const NO_SUBJECT: OpenAuditEntry['setSubject'] = () => undefined;

/** Opens the audit entry of a change; null for an operation that changes nothing. */
async function openEntry(call: Call, caller: Caller): Promise<OpenAuditEntry | null> {
  const { ctx, meta, path } = call;
  if (meta === undefined || !isChange(meta)) return null;
  return beginAuditEntry({ ctx, caller, meta, operation: path, input: await inputOf(call) });
}

/** Every counted request is recorded, even a refused one: an attempt without permission is worth knowing. */
async function audited<Result extends { readonly ok: boolean }>(
  call: Call,
  entry: OpenAuditEntry | null,
  run: () => Promise<Result>,
): Promise<Result> {
  if (entry === null) return run();
  const settle = async (error: unknown) => entry.settle(callError(error, await inputOf(call)).code);
  let result: Result;
  try {
    result = await run();
  } catch (error) {
    await settle(error);
    throw error;
  }
  const { data, error } = result as { readonly data?: unknown; readonly error?: unknown };
  await (result.ok ? entry.settle('ok', data) : settle(error));
  return result;
}

export const router = t.router;
export const mergeRouters = t.mergeRouters;

/** Base of the operations that anyone may call. */
export const publicProcedure = t.procedure.use((call) =>
  withNamedErrors(call, async () => {
    await countCall(call);
    await checkBounds(call);
    return call.next();
  }),
);

/**
 * Base of the operations that need an API key. A request without a key is not counted. The rate limit comes next, then
 * `access` (docs/contract/errors-and-limits.md#order-of-a-request). The audit records every request that passes the
 * rate limit. One middleware makes all checks, because tRPC copies the whole call for each middleware.
 */
export const keyedProcedure = t.procedure.use((call) =>
  withNamedErrors(call, async () => {
    if (call.ctx.caller === null) throw new ServiceError('unauthorized');
    await countCall(call);
    const { caller } = await latestCaller(call);
    const entry = await openEntry(call, caller);
    return audited(call, entry, async () => {
      checkAccess(caller, call.meta);
      await checkBounds(call);
      return call.next({ ctx: { caller, setSubject: entry?.setSubject ?? NO_SUBJECT } });
    });
  }),
);

const nameErrors = t.middleware((call) => withNamedErrors(call, () => call.next()));

const boundInput = t.middleware(async (call) => {
  await checkBounds(call);
  return call.next();
});

const requirePerson = t.middleware(async ({ ctx, path, getRawInput, next }) => {
  const { visit } = ctx;
  if (ctx.caller === null || visit === undefined) throw new ServiceError('unauthorized');
  await ctx.admit?.(path, 'account');
  const { caller, person } = await latestCaller({ ctx, getRawInput });
  if (person === undefined) throw new ServiceError('unauthorized');
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
