/** The router of the service as tRPC types it: for React Query, and other libraries of tRPC. */
import type { TRPCBuiltRouter, TRPCDefaultErrorShape, TRPCMutationProcedure, TRPCQueryProcedure } from '@trpc/server';
import type { ErrorBody, Inputs, Kinds, Outputs } from './api-types.ts';

type Resource = keyof Inputs;

type Procedure<Kind, Input, Output> = Kind extends 'query'
  ? TRPCQueryProcedure<{ input: Input; output: Output; meta: object }>
  : TRPCMutationProcedure<{ input: Input; output: Output; meta: object }>;

type Procedures<R extends Resource> = {
  [O in keyof Inputs[R] & keyof Outputs[R] & keyof Kinds[R]]: Procedure<Kinds[R][O], Inputs[R][O], Outputs[R][O]>;
};

interface Root {
  ctx: object;
  meta: object;
  errorShape: Omit<TRPCDefaultErrorShape, 'data'> & {
    data: Pick<TRPCDefaultErrorShape['data'], 'code' | 'httpStatus'> & { error: ErrorBody };
  };
  transformer: false;
}

export type AppRouter = TRPCBuiltRouter<Root, { [R in Resource]: Procedures<R> }>;
