/** REST and MCP run an operation as tRPC does, without its copies (routers/run-operation.ts). */
import { callTRPCProcedure, TRPCError } from '@trpc/server';
import { expect, it } from 'vitest';
import { ServiceError } from '../../errors/service-error.ts';
import type { OperationContext } from '../../routers/context.ts';
import { appRouter } from '../../routers/index.ts';
import { type Operation, operations } from '../../routers/operations.ts';
import { runOperation } from '../../routers/run-operation.ts';
import type { Caller } from '../../services/access/caller.ts';
import { makeAccount } from '../harness/accounts.ts';
import { connectSandbox } from '../harness/connections.ts';
import { UNKNOWN_ID } from '../harness/expected.ts';
import { startWorld } from '../harness/world.ts';

const world = await startWorld();
const { id: accountId, key } = await makeAccount(world);
await connectSandbox(world, { key, slug: 'bells' });

const caller: Caller = {
  accountId,
  keyId: UNKNOWN_ID,
  profileId: null,
  mode: 'live',
  scopes: null,
  approval: 'none',
  policyId: null,
  actor: { kind: 'key', id: UNKNOWN_ID, name: 'key' },
};

type Run = (operation: Operation, input: unknown, ctx: OperationContext) => Promise<unknown>;

const byTrpc: Run = (operation, input, ctx) =>
  callTRPCProcedure({
    router: appRouter,
    path: operation.name,
    getRawInput: async () => input,
    ctx,
    type: operation.procedure._def.type,
    signal: undefined,
    batchIndex: 0,
  });

/** The answer or the error, and the headers. */
async function outcome(run: Run, name: string, input: unknown, by: Caller | null) {
  const operation = operations.find((one) => one.name === name);
  if (operation === undefined) throw new Error(`there is no operation ${name}`);
  const headers: Record<string, string> = {};
  const setHeader = (header: string, value: string) => (headers[header] = value);
  const ctx = { services: world.context, caller: by, requestId: 'r', surface: 'rest', setHeader } as const;
  try {
    return { answer: await run(operation, input, ctx), headers };
  } catch (error) {
    const { code, cause } = error as TRPCError;
    const isService = cause instanceof ServiceError;
    return { isTrpc: error instanceof TRPCError, code, is: isService ? [cause.code, cause.message] : cause, headers };
  }
}

it.each<[what: string, name: string, input: unknown, by: Caller | null]>([
  ['an answer', 'posts.list', { limit: 3 }, caller],
  ['defaults and transformed fields', 'posts.list', { tag: [' News '] }, caller],
  ['an answer of a public operation', 'public.stats', {}, null],
  ['input that is refused', 'posts.list', { limit: 'ten' }, caller],
  ['no input', 'posts.list', undefined, caller],
  ['an unknown object', 'posts.get', { postId: UNKNOWN_ID }, caller],
  ['no caller', 'posts.list', {}, null],
  ['a caller without the scope', 'posts.list', {}, { ...caller, scopes: new Set(['posts:write'] as const) }],
  ['a caller of one profile', 'profiles.create', { name: 'x' }, { ...caller, profileId: UNKNOWN_ID }],
])('%s is the same', async (_what, name, input, by) => {
  const expected = await outcome(byTrpc, name, input, by);

  expect(await outcome(runOperation, name, input, by)).toEqual(expected);
});

it('a keyed request reaches the operation, and is replayed', async () => {
  const input = { text: 'Ding', connectionSlugs: ['bells'], idempotencyKey: 'once' };

  const first = await outcome(runOperation, 'posts.create', input, caller);
  const again = await outcome(byTrpc, 'posts.create', input, caller);

  expect(first).toMatchObject({ answer: { results: [{ status: 'sent' }] }, headers: {} });
  expect(again).toEqual({ ...first, headers: { 'idempotent-replayed': 'true' } });
});
