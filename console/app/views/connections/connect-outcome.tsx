/** What happened on the hosted page, for the browser that has come back from it. */
import { useQuery } from '@tanstack/react-query';
import { type Outputs, useTRPC } from '../../data/trpc.ts';
import { Link } from '../../ui/link.tsx';
import { QueryView } from '../../ui/query-view.tsx';

type Session = Outputs['connect']['get']['connectSession'];

/** @param connectSessionId the address names it, and anyone can write an address: the service says what is true */
export function ConnectOutcome({ connectSessionId }: { connectSessionId: string }) {
  const query = useQuery(useTRPC().connect.get.queryOptions({ connectSessionId }));
  return (
    <QueryView what="the outcome" query={query}>
      {({ connectSession }) => (
        <p
          role="status"
          className={`outcome ${connectSession.status === 'connected' ? 'outcome-good' : 'outcome-bad'}`}
        >
          <Words session={connectSession} />
        </p>
      )}
    </QueryView>
  );
}

function Words({ session: { status, error, connectionId, reconnectConnectionId } }: { session: Session }) {
  if (status === 'connected' && connectionId !== null) {
    return (
      <>
        {reconnectConnectionId === null ? 'The account is connected.' : 'The account is connected again.'}{' '}
        <Link to="/connections/$connectionId" params={{ connectionId }} className="link">
          Open the connection
        </Link>{' '}
        <Link to="/compose" className="link">
          Write a post
        </Link>
      </>
    );
  }
  if (error === 'cancelled') return 'Nothing was connected: it was cancelled.';
  if (error === 'connect_failed') return 'Nothing was connected: the platform did not accept the login.';
  if (status === 'expired') return 'Nothing was connected: the fifteen minutes of the link are over.';
  return 'The page of the platform has not finished yet.';
}
