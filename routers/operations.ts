/** Lists each operation of the router with its declaration, for the surfaces that are built from it. */
import type { AnyTRPCProcedure } from '@trpc/server';
import type { ZodObject, ZodType } from 'zod';
import { appRouter } from './index.ts';
import type { OperationMeta } from './meta.ts';

export interface Operation {
  /** Dotted path in the router, e.g. `posts.create`. */
  readonly name: string;
  readonly meta: OperationMeta;
  readonly input: ZodObject;
  readonly output: ZodType;
  readonly procedure: AnyTRPCProcedure;
}

/** The part of a procedure's definition that this file reads. */
interface Definition {
  readonly meta?: OperationMeta;
  readonly inputs: readonly ZodType[];
  readonly output?: ZodType;
}

function toOperation(name: string, procedure: AnyTRPCProcedure): Operation {
  const { meta, inputs, output } = procedure._def as unknown as Definition;
  const [input] = inputs;
  if (meta === undefined || input === undefined || output === undefined) {
    throw new Error(`${name} must declare meta, input and output`);
  }
  return { name, meta, input: input as ZodObject, output, procedure };
}

/** All operations in the router's order. */
export const operations: readonly Operation[] = Object.entries(
  appRouter._def.procedures as unknown as Record<string, AnyTRPCProcedure>,
).map(([name, procedure]) => toOperation(name, procedure));
