/** The cache of answers, with one policy for all views: when reads are repeated, and that changes never are. */
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { codeOf, problemOf } from './problem.ts';

/** Most repetitions of a read that may succeed later. */
const RETRIES_MAX = 3;

/** An answer is taken from the cache for this time, unless an event or a change of ours invalidates it. */
const FRESH_MS = 30_000;

/** @param onSignedOut called when the service no longer knows the sign-in or the key */
export function createQueryClient(onSignedOut: () => void): QueryClient {
  const watch = (failure: unknown) => {
    if (codeOf(failure) === 'unauthorized') onSignedOut();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError: watch }),
    mutationCache: new MutationCache({ onError: watch }),
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        retry: (count, failure) => count < RETRIES_MAX && problemOf(failure).retryable,
      },
      // A change that got no answer may have been applied, so only a person repeats it. Nor does it wait to be online:
      // a press whose effect comes minutes later surprises.
      mutations: { retry: false, networkMode: 'always' },
    },
  });
}
