/**
 * Shows the answer of a query, or that it loads, or why it failed with a button to ask again. An earlier answer stays when a later
 * read fails, unless that read says that the object is gone.
 */
import type { ReactNode } from 'react';
import { codeOf } from '../data/problem.ts';
import { Button } from './button.tsx';
import { Loading } from './loading.tsx';
import { ProblemView } from './problem-view.tsx';

export interface QueryViewProps<Data> {
  /** What is read, such as "posts". */
  readonly what: string;
  /** The result of useQuery or useInfiniteQuery. */
  readonly query: {
    readonly data: Data | undefined;
    readonly error: unknown;
    readonly isFetching: boolean;
    refetch(): unknown;
  };
  children(data: Data): ReactNode;
}

export function QueryView<Data>({ what, query, children }: QueryViewProps<Data>) {
  const { data, error, refetch, isFetching } = query;
  if (data !== undefined && !isGone(query)) return children(data);
  if (error === null) return <Loading what={what} />;
  const again = (
    <Button isPending={isFetching} onPress={() => refetch()}>
      Try again
    </Button>
  );
  return <ProblemView failure={error} action={again} />;
}

/** Whether the service no longer has what was read. */
export function isGone({ error }: Pick<QueryViewProps<unknown>['query'], 'error'>): boolean {
  return error !== null && codeOf(error) === 'not_found';
}
