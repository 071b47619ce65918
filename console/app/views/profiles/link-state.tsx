/** How far a customer has come with a connect link. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { type Outputs, useTRPC } from '../../data/trpc.ts';
import { Moment } from '../../ui/moment.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';

type Session = Outputs['connect']['get']['connectSession'];

/** No event reports a link that fails or expires, so it is asked for until it has ended. */
const ASK_EVERY_MS = 3_000;

const FAILURES: Readonly<Record<NonNullable<Session['error']>, string>> = {
  cancelled: 'The customer cancelled.',
  connect_failed: 'The platform did not accept the login, and the customer gave up.',
};

export function LinkState({ connectSessionId }: { connectSessionId: string }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const query = useQuery(
    trpc.connect.get.queryOptions(
      { connectSessionId },
      {
        refetchInterval: ({ state }) => (state.data?.connectSession.status === 'pending' ? ASK_EVERY_MS : false),
      },
    ),
  );
  const connectionId = query.data?.connectSession.connectionId;
  useEffect(() => {
    if (connectionId != null) void queryClient.invalidateQueries(trpc.connections.pathFilter());
  }, [connectionId, queryClient, trpc]);
  return (
    <QueryView what="the link" query={query}>
      {({ connectSession: { status, error, createdAt, expiresAt } }) => (
        <p role="status" className="link-state">
          <StatusBadge status={status} /> Link made <Moment at={createdAt} />.{' '}
          {status === 'pending' && (
            <>
              The customer has not finished. It ends <Moment at={expiresAt} />.
            </>
          )}
          {status === 'connected' && 'The customer has connected an account.'}
          {error !== null && `${FAILURES[error]} Make a new link to try again.`}
          {status === 'expired' && 'Its fifteen minutes are over. Make a new one.'}
        </p>
      )}
    </QueryView>
  );
}
