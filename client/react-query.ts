/** Query and mutation options of every operation for TanStack Query, in React. */
import type { QueryClient } from '@tanstack/react-query';
import type { TRPCClient } from '@trpc/client';
import { createTRPCOptionsProxy, type TRPCOptionsProxy } from '@trpc/tanstack-react-query';
import type { CarillonClient } from './create-client.ts';
import type { AppRouter } from './router-type.ts';

export type { AppRouter } from './router-type.ts';

/** Options and keys by operation: `options.posts.list.queryOptions({ limit: 10 })`, `options.posts.create.mutationOptions()`. */
export type CarillonOptions = TRPCOptionsProxy<AppRouter>;

/** @param client one that createClient made */
export function createQueryOptions({
  client,
  queryClient,
}: {
  readonly client: CarillonClient;
  readonly queryClient: QueryClient;
}): CarillonOptions {
  return createTRPCOptionsProxy<AppRouter>({ client: client as unknown as TRPCClient<AppRouter>, queryClient });
}
