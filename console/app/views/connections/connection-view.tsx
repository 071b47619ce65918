/** One connection: the health of its login, its place, its queue, its settings, and its end. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type Connection, useNames } from '../../data/connections.ts';
import { useProfileNames } from '../../data/profiles.ts';
import { useTRPC } from '../../data/trpc.ts';
import { Allowed, Refusal } from '../../shell/rights.tsx';
import { useTitle } from '../../shell/use-title.ts';
import { Link } from '../../ui/link.tsx';
import { Moment, useNow } from '../../ui/moment.tsx';
import { Panel } from '../../ui/panel.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { ConnectOutcome } from './connect-outcome.tsx';
import { NextSlot } from './connection-row.tsx';
import { ConnectionSettings } from './connection-settings.tsx';
import { Disconnect } from './disconnect.tsx';
import { healthOf } from './health.ts';
import { HealthBadge, LoginHealth } from './login-health.tsx';
import { MoveConnection } from './move-connection.tsx';
import { ReconnectButton } from './reconnect-button.tsx';
import './connections.css';

const route = getRouteApi('/connections/$connectionId');

export function ConnectionView() {
  const { connectionId } = route.useParams();
  const { connectSessionId } = route.useSearch();
  const query = useQuery(useTRPC().connections.get.queryOptions({ connectionId }));
  const connection = query.data?.connection;
  const title = connection?.slug ?? 'Connection';
  useTitle(title);
  return (
    <>
      <p>
        <Link to="/connections" className="link">
          All connections
        </Link>
      </p>
      <header className="view-head">
        <h1>{title}</h1>
        {connection !== undefined && <HealthBadge connection={connection} />}
      </header>
      {connectSessionId !== undefined && <ConnectOutcome connectSessionId={connectSessionId} />}
      <QueryView what="the connection" query={query}>
        {(data) => <ConnectionPanels key={data.connection.id} connection={data.connection} />}
      </QueryView>
    </>
  );
}

function ConnectionPanels({ connection }: { connection: Connection }) {
  const names = useNames();
  const profileName = useProfileNames();
  const { id, platformId, handle, description, profileId, createdAt } = connection;
  const isDead = healthOf(connection, useNow()) === 'reconnect';
  return (
    <>
      <Panel title="Login">
        <p className={isDead ? 'bad' : undefined}>
          <LoginHealth connection={connection} />
        </p>
        <div className="actions">
          <Refusal of="connections:write" />
          <Allowed to="connections:write">
            <ReconnectButton connection={connection} look={isDead ? 'primary' : 'plain'} />
          </Allowed>
        </div>
        <p className="hint">
          Reconnecting keeps the address, the queue and the posts. It takes the same account only; connect another one
          beside it.
        </p>
      </Panel>
      <Panel title="Account">
        <dl className="facts-list">
          <div>
            <dt>Platform</dt>
            <dd>{names.platform(platformId)}</dd>
          </div>
          <div>
            <dt>Account</dt>
            <dd>
              <bdi>{handle}</bdi>
            </dd>
          </div>
          <div>
            <dt>Description</dt>
            <dd dir="auto">{description}</dd>
          </div>
          <div>
            <dt>Profile</dt>
            <dd>
              {profileId === null ? (
                'none, one of our own accounts'
              ) : (
                <Link to="/profiles/$profileId" params={{ profileId }} className="link">
                  <bdi>{profileName(profileId)}</bdi>
                </Link>
              )}
            </dd>
          </div>
          <div>
            <dt>Connected</dt>
            <dd>
              <Moment at={createdAt} />
            </dd>
          </div>
          <div>
            <dt>Queue</dt>
            <dd>
              <NextSlot connection={connection} />
            </dd>
          </div>
        </dl>
        <p>
          <Link to="/posts" search={{ connection: id }} className="link">
            Posts of this connection
          </Link>
        </p>
      </Panel>
      <Allowed to="connections:write">
        <ConnectionSettings connection={connection} />
        <MoveConnection connection={connection} />
        <Disconnect connection={connection} />
      </Allowed>
    </>
  );
}
