/**
 * Runs an operation for REST and MCP. It takes the steps that tRPC has composed, in their order and with their results, but
 * without tRPC's copies: tRPC copies the whole call before and after each step, which takes longer than the steps. `/trpc` is
 * served by tRPC itself (docs/decisions/0119-run-operations-without-copies.md).
 */
import { getTRPCErrorFromUnknown, type TRPCError } from '@trpc/server';
import type { OperationContext } from './context.ts';
import type { Operation } from './operations.ts';

/** What a step answers; the last one is the operation itself. */
type Answer = { readonly ok: true; readonly data: unknown } | { readonly ok: false; readonly error: TRPCError };

/** What a step passes on. */
interface Passed {
  readonly ctx?: object;
  readonly input?: unknown;
}

interface Call {
  readonly ctx: object;
  readonly type: string;
  readonly path: string;
  readonly meta: unknown;
  /** What the steps before have read of the input. */
  readonly input: unknown;
  readonly getRawInput: () => Promise<unknown>;
  readonly signal: undefined;
  readonly batchIndex: 0;
  readonly next: (passed?: Passed) => Promise<Answer>;
}

type Step = (call: Call) => Promise<Answer>;

/**
 * @param input as it was sent
 * @throws TRPCError, with the ServiceError as its cause
 */
export async function runOperation(
  { name, meta, procedure }: Operation,
  input: unknown,
  ctx: OperationContext,
): Promise<unknown> {
  const { type, middlewares } = procedure._def as unknown as { readonly type: string; readonly middlewares: Step[] };
  const getRawInput = async () => input;
  const run = async (index: number, context: object, read: unknown): Promise<Answer> => {
    const step = middlewares[index];
    if (step === undefined) throw new Error(`${name} has no step that answers`);
    const next = (passed: Passed = {}) =>
      run(
        index + 1,
        passed.ctx === undefined ? context : { ...context, ...passed.ctx },
        'input' in passed ? passed.input : read,
      );
    try {
      return await step({
        ctx: context,
        type,
        path: name,
        meta,
        input: read,
        getRawInput,
        signal: undefined,
        batchIndex: 0,
        next,
      });
    } catch (cause) {
      return { ok: false, error: getTRPCErrorFromUnknown(cause) };
    }
  };
  const answer = await run(0, ctx, undefined);
  if (!answer.ok) throw answer.error;
  return answer.data;
}
