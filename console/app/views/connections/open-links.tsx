/** Connect links that are still open, of customers and own ones, and how to withdraw each. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNames } from '../../data/connections.ts';
import { useProfileNames } from '../../data/profiles.ts';
import { type Outputs, useTRPC } from '../../data/trpc.ts';
import { Allowed } from '../../shell/rights.tsx';
import { Button } from '../../ui/button.tsx';
import { Link } from '../../ui/link.tsx';
import { QuietMoment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { toast } from '../../ui/toasts.tsx';

type Session = Outputs['connect']['list']['connectSessions'][number];

/** No event reports a link that expires, so the list is read again while it has one. */
const ASK_EVERY_MS = 15_000;

/** Shows nothing when no link is open. */
export function OpenLinks() {
  const query = useQuery(
    useTRPC().connect.list.queryOptions(
      { status: 'pending', limit: 100 },
      { refetchInterval: ({ state }) => (state.data?.connectSessions.length ? ASK_EVERY_MS : false) },
    ),
  );
  if (query.error !== null) return <ProblemView failure={query.error} />;
  const sessions = query.data?.connectSessions ?? [];
  if (sessions.length === 0) return null;
  return (
    <Panel title="Open links">
      <p className="hint">Each connects an account, once, without a sign-in here. The addresses were shown once.</p>
      <ul className="rows">
        {sessions.map((session) => (
          <OpenLink key={session.id} session={session} />
        ))}
      </ul>
    </Panel>
  );
}

function OpenLink({ session }: { session: Session }) {
  const { id, platform, profileId, reconnectConnectionId, openedAt, createdAt, expiresAt } = session;
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const names = useNames();
  const profileName = useProfileNames();
  const withdrawal = useMutation(
    trpc.connect.cancel.mutationOptions({
      onSuccess: ({ connectSession: { status } }) =>
        toast(status === 'connected' ? 'It was too late: an account is connected.' : 'The link is withdrawn.'),
      onSettled: () => queryClient.invalidateQueries(trpc.connect.pathFilter()),
    }),
  );
  const where = profileId === null ? 'own accounts' : profileName(profileId);
  const what = `${platform === null ? 'any platform' : names.platform(platform)}, ${where}`;
  return (
    <li className="row-with-action">
      <div>
        <p>
          <bdi>{what}</bdi>
          {reconnectConnectionId !== null && (
            <>
              {', reconnects '}
              <Link to="/connections/$connectionId" params={{ connectionId: reconnectConnectionId }} className="link">
                a connection
              </Link>
            </>
          )}
        </p>
        <p className="hint">
          Made <QuietMoment at={createdAt} />, ends <QuietMoment at={expiresAt} />.{' '}
          {openedAt === null ? (
            'Not opened yet.'
          ) : (
            <>
              Opened <QuietMoment at={openedAt} />.
            </>
          )}
        </p>
        {withdrawal.error !== null && <ProblemView failure={withdrawal.error} />}
      </div>
      <Allowed to="connections:write">
        <Button
          aria-label={`Withdraw the link for ${what}`}
          isPending={withdrawal.isPending}
          onPress={() => withdrawal.mutate({ connectSessionId: id })}
        >
          Withdraw
        </Button>
      </Allowed>
    </li>
  );
}
