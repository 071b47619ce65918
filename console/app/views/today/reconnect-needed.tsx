/** Connections whose login is dead: nothing goes out over them until they are connected again. */
import { useConnections, useNames } from '../../data/connections.ts';
import { Link } from '../../ui/link.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/panel.tsx';

export function ReconnectNeeded() {
  const names = useNames();
  const dead = useConnections().data?.connections.filter(({ reconnectRequired }) => reconnectRequired !== null) ?? [];
  if (dead.length === 0) return null;
  return (
    <Panel title="Connect again">
      <ul className="rows">
        {dead.map(({ id, slug, platformId, reconnectRequired }) => (
          <li key={id}>
            <p>
              <b>{slug}</b> <span className="soft">{names.platform(platformId)}</span>
            </p>
            {reconnectRequired !== null && (
              <p className="hint">
                Since <Moment at={reconnectRequired.since} />: {reconnectRequired.reason}
              </p>
            )}
            <Link to="/connections/$connectionId" params={{ connectionId: id }} className="button button-primary">
              Reconnect {slug}
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
