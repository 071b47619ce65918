/** Reports a failed change that no view shows: the view was left, or it shows a later change. */
import { useEffect, useRef } from 'react';
import { problemOf } from '../data/problem.ts';
import { toast } from './toasts.tsx';

/** Options of a mutation whose `error` the view shows. @param words such as "The post was not moved." */
export function useFailureToast(words: string) {
  const isShown = useRef(false);
  const latest = useRef<unknown>(null);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return {
    onMutate: (variables: unknown) => {
      latest.current = variables;
    },
    onError: (failure: unknown, variables: unknown) => {
      if (!isShown.current || latest.current !== variables) toast(`${words} ${problemOf(failure).message}`);
    },
  };
}
