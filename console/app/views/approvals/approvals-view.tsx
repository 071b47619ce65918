/** Approvals: what keys and agents want to send, oldest first, for a person to decide. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTRPC } from '../../data/trpc.ts';
import { Refusal } from '../../shell/rights.tsx';
import { useTitle } from '../../shell/use-title.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Link } from '../../ui/link.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { ShieldCheck } from '../../ui/view-icons.tsx';
import { ApprovalRequest } from './approval-request.tsx';

const PAGE = 20;

export function ApprovalsView() {
  useTitle('Approvals');
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
          const requests = pages.flatMap(({ approvals }) => approvals);
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
                <ApprovalRequest key={request.id} request={request} />
              ))}
              <ShowMore what="requests" query={query} />
            </>
          );
        }}
      </QueryView>
    </>
  );
}
