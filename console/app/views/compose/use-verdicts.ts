/** What the service says about a composition while it is written. The browser counts nothing. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { codeOf, isRetryable } from '../../data/problem.ts';
import { type Outputs, useTRPCClient } from '../../data/trpc.ts';
import type { Composition } from './composition.ts';
import { type Directory, planRequests, whenFields } from './requests.ts';

export type Verdict = Outputs['posts']['validate']['results'][number];

export interface Verdicts {
  /** By connection id; empty while there is nothing to check. */
  readonly of: ReadonlyMap<string, Verdict>;
  /** Why the service refused to check, such as a time in the past; null when it did not. */
  readonly failure: unknown;
}

/** A pause in typing after which the service is asked. */
const TYPING_MS = 400;

/** The service takes sixty questions a minute. */
const AGAIN_MS = 3_000;
const AGAIN_MAX = 5;

export function useVerdicts(composition: Composition, directory: Directory): Verdicts {
  const api = useTRPCClient();
  const settled = useSettled(composition);
  const planned = planRequests(settled, directory);
  const { text } = planned[0]?.input ?? { text: '' };
  const isAsked = text.trim() !== '';
  const when = whenFields(settled);
  const { data, error } = useQuery({
    queryKey: ['compose', 'verdicts', planned.map(({ input }) => input), when],
    queryFn: async ({ signal }) => {
      const answers = await Promise.all(
        planned.map(({ input }) => api.posts.validate.mutate({ ...input, ...when }, { signal })),
      );
      return planned.flatMap(({ connections }, index) =>
        connections.flatMap(({ id }, position) => {
          const verdict = answers[index]?.results[position];
          return verdict === undefined ? [] : [[id, verdict] as const];
        }),
      );
    },
    enabled: isAsked,
    placeholderData: keepPreviousData,
    retry: (count, failure) => count < AGAIN_MAX && isRetryable(codeOf(failure) ?? ''),
    retryDelay: AGAIN_MS,
  });
  return {
    of: new Map(isAsked ? data : []),
    failure: isAsked ? error : null,
  };
}

/** The composition as it was when the last pause in typing began. */
function useSettled(composition: Composition): Composition {
  const [settled, setSettled] = useState(composition);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(composition), TYPING_MS);
    return () => clearTimeout(timer);
  }, [composition]);
  return settled;
}
