/** Approvals: what keys and agents want to send, oldest first, for a person to decide. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTRPC } from '../../data/trpc.ts';
import { Refusal } from '../../shell/rights.tsx';
import { useTitle } from '../../shell/use-title.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Link } from '../../ui/link.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { ShieldCheck } from '../../ui/view-icons.tsx';
import { ApprovalRequest } from './approval-request.tsx';
import type { Request } from './request.ts';

const PAGE = 20;

export function ApprovalsView() {
  useTitle('Approvals');
  const { withWritten, setWritten } = useWritten();
  const query = useInfiniteQuery(
    useTRPC().approvals.list.infiniteQueryOptions(
      { limit: PAGE },
      { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined },
    ),
  );
  return (
    <>
      <h1>Approvals</h1>
      <Refusal of="owner" />
      <QueryView what="what waits" query={query}>
        {({ pages }) => {
          const waiting = pages.flatMap(({ approvals }) => approvals);
          const requests = withWritten(waiting);
          return requests.length === 0 ? (
            <EmptyState icon={ShieldCheck} title="Nothing waits for you">
              Give a{' '}
              <Link to="/keys" className="link">
                key
              </Link>{' '}
              or an{' '}
              <Link to="/agents" className="link">
                agent
              </Link>{' '}
              the rule to ask first. What it wants to send then appears here.
            </EmptyState>
          ) : (
            <>
              {requests.map((request) => (
                <ApprovalRequest
                  key={request.id}
                  request={request}
                  isWaiting={waiting.includes(request)}
                  onWritten={(isWritten) => setWritten(request, isWritten)}
                />
              ))}
              <ShowMore what="requests" query={query} />
            </>
          );
        }}
      </QueryView>
    </>
  );
}

/** Requests in which the person has written something stay in the list when they no longer wait. */
function useWritten() {
  const [written, setAll] = useState<readonly Request[]>([]);
  return {
    withWritten: (waiting: readonly Request[]): readonly Request[] => {
      const gone = written.filter(({ id }) => !waiting.some((request) => request.id === id));
      return gone.length === 0 ? waiting : [...waiting, ...gone].toSorted((one, other) => (one.id < other.id ? -1 : 1));
    },
    setWritten: (request: Request, isWritten: boolean) =>
      setAll((before) => {
        const others = before.filter(({ id }) => id !== request.id);
        return isWritten ? [...others, request] : others;
      }),
  };
}
