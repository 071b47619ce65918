/** Connections: the linked accounts with the health of each login, found by words, platform, profile and health. */
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { type Connection, useConnections, useNames } from '../../data/connections.ts';
import { Allowed, Refusal } from '../../shell/rights.tsx';
import { useTitle } from '../../shell/use-title.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Link } from '../../ui/link.tsx';
import { useNow } from '../../ui/moment.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { useProfileNames } from '../../data/profiles.ts';
import { Plug } from '../../ui/view-icons.tsx';
import { ConnectOutcome } from './connect-outcome.tsx';
import { ConnectionFilters } from './connection-filters.tsx';
import { ConnectionRow } from './connection-row.tsx';
import { healthOf } from './health.ts';
import { OpenLinks } from './open-links.tsx';
import type { ConnectionsSearch } from './search.ts';
import './connections.css';

const route = getRouteApi('/connections');

export function ConnectionsView() {
  useTitle('Connections');
  const search = route.useSearch();
  const query = useConnections();
  return (
    <>
      <header className="view-head">
        <h1>Connections</h1>
        <Allowed to="connections:write">
          <Link to="/connections/new" className="button button-primary">
            Connect an account
          </Link>
        </Allowed>
      </header>
      <Refusal of="connections:write" />
      {search.connectSessionId !== undefined && <ConnectOutcome connectSessionId={search.connectSessionId} />}
      <QueryView what="the connections" query={query}>
        {({ connections }) =>
          connections.length === 0 ? <NoConnections /> : <Connections connections={connections} search={search} />
        }
      </QueryView>
      <Allowed to="connections:write">
        <OpenLinks />
      </Allowed>
    </>
  );
}

function NoConnections() {
  return (
    <EmptyState
      icon={Plug}
      title="No account is connected"
      action={
        <Allowed to="connections:write">
          <Link to="/connections/new" className="button button-primary">
            Connect an account
          </Link>
        </Allowed>
      }
    >
      A connection is an account or a channel that posts go to. Try the sandbox first: it needs no login.
    </EmptyState>
  );
}

function Connections({ connections, search }: { connections: readonly Connection[]; search: ConnectionsSearch }) {
  const now = useNow();
  const names = useNames();
  const profileName = useProfileNames();
  const shown = useMemo(() => {
    const words = (search.q ?? '').toLowerCase().split(/\s+/).filter(Boolean);
    return connections.filter((connection) => {
      const { slug, handle, description, platformId, profileId } = connection;
      const text = `${slug} ${handle} ${description} ${names.platform(platformId)}`.toLowerCase();
      return (
        words.every((word) => text.includes(word)) &&
        (search.platform === undefined || platformId === search.platform) &&
        (search.profile === undefined || (profileId ?? 'own') === search.profile) &&
        (search.health === undefined || healthOf(connection, now) === search.health)
      );
    });
  }, [connections, search, names, now]);
  return (
    <>
      <ConnectionFilters search={search} connections={connections} />
      <p className="hint" role="status">
        {shown.length === connections.length
          ? `${connections.length} connected.`
          : `${shown.length} of ${connections.length} match.`}{' '}
        {shown.length === 0 && (
          <Link to="/connections" className="link">
            Show all
          </Link>
        )}
      </p>
      <ul className="rows connection-rows" aria-label="Connections, newest first">
        {shown.map((connection) => (
          <ConnectionRow
            key={connection.id}
            connection={connection}
            platform={names.platform(connection.platformId)}
            profile={connection.profileId === null ? null : profileName(connection.profileId)}
          />
        ))}
      </ul>
    </>
  );
}
