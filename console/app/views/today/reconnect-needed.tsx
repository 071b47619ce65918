/** Connections whose login is dead: nothing goes out over them until they are connected again. */
import { type Connection, useConnections, useNames } from '../../data/connections.ts';
import { Link } from '../../ui/link.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ReconnectButton } from '../connections/reconnect-button.tsx';

export function ReconnectNeeded() {
  const names = useNames();
  const dead = useConnections().data?.connections.filter(({ reconnectRequired }) => reconnectRequired !== null) ?? [];
  if (dead.length === 0) return null;
  return (
    <Panel title="Connect again">
      <ul className="rows">
        {dead.map((connection) => (
          <DeadLogin key={connection.id} connection={connection} platform={names.platform(connection.platformId)} />
        ))}
      </ul>
    </Panel>
  );
}

function DeadLogin({ connection, platform }: { connection: Connection; platform: string }) {
  const { id, slug, reconnectRequired } = connection;
  return (
    <li>
      <p>
        <Link to="/connections/$connectionId" params={{ connectionId: id }} className="link">
          {slug}
        </Link>{' '}
        <span className="soft">{platform}</span>
      </p>
      {reconnectRequired !== null && (
        <p className="hint">
          Since <Moment at={reconnectRequired.since} />: <span dir="auto">{reconnectRequired.reason}</span>
        </p>
      )}
      <ReconnectButton connection={connection} look="primary" />
    </li>
  );
}
