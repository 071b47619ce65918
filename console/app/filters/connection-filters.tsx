/** Choices of a profile, a platform and a connection. Each leaves out the connections that the others exclude. */
import { useQuery } from '@tanstack/react-query';
import { useConnections, usePlatforms } from '../data/connections.ts';
import { useTRPC } from '../data/trpc.ts';
import type { Changes, ConnectionSearch } from './connection-search.ts';
import { FilterSelect } from './filter-select.tsx';

export interface ConnectionFiltersProps {
  readonly search: ConnectionSearch;
  onChange(changes: Changes<ConnectionSearch>): void;
}

export function ConnectionFilters({ search, onChange }: ConnectionFiltersProps) {
  const { profileId, platform, connection } = search;
  const platforms = usePlatforms().data?.platforms ?? [];
  const profiles = useQuery(useTRPC().profiles.list.queryOptions({ limit: 100 })).data?.profiles ?? [];
  return (
    <>
      {profiles.length > 0 && (
        <FilterSelect
          label="Profile"
          value={profileId}
          choices={profiles.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(chosen) => onChange({ profileId: chosen })}
        />
      )}
      <FilterSelect
        label="Platform"
        value={platform}
        choices={platforms.map(({ id, name }) => ({ value: id, label: name }))}
        onChange={(chosen) => onChange({ platform: chosen })}
      />
      <FilterSelect
        label="Connection"
        value={connection}
        choices={useSlugs(search).map((slug) => ({ value: slug, label: slug }))}
        onChange={(chosen) => onChange({ connection: chosen })}
      />
    </>
  );
}

/** A slug is unique only within its profile. The chosen one stays, so that it can be seen and left out. */
function useSlugs({ profileId, platform, connection }: ConnectionSearch): string[] {
  const connections = useConnections().data?.connections ?? [];
  const reached = connections.filter(
    (one) =>
      one.slug === connection ||
      ((profileId === undefined || one.profileId === profileId) &&
        (platform === undefined || one.platformId === platform)),
  );
  return [...new Set(reached.map(({ slug }) => slug))];
}
