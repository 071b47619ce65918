/** The types of the API. `ConsoleRouter` is the contract: types of inputs and answers come from it and nowhere else. */
import type { TRPCClient } from '@trpc/client';
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import type { TRPCOptionsProxy } from '@trpc/tanstack-react-query';
import type { ConsoleRouter } from '../../../routers/console.ts';

export type Inputs = inferRouterInputs<ConsoleRouter>;
export type Outputs = inferRouterOutputs<ConsoleRouter>;

export type Connection = Outputs['connections']['list']['connections'][number];

export type Api = TRPCClient<ConsoleRouter>;

/** Options and keys of queries, by operation, for code outside of components. */
export type Trpc = TRPCOptionsProxy<ConsoleRouter>;
