/** Choices of a profile, a platform and a connection. Each leaves out the connections that the others exclude. */
import { useConnections, usePlatforms } from '../data/connections.ts';
import { useProfileNames, useProfiles } from '../data/profiles.ts';
import type { Changes, ConnectionSearch } from './connection-search.ts';
import type { Choice } from '../ui/select.tsx';
import { FilterSelect } from './filter-select.tsx';

export interface ConnectionFiltersProps {
  readonly search: ConnectionSearch;
  onChange(changes: Changes<ConnectionSearch>): void;
}

export function ConnectionFilters({ search, onChange }: ConnectionFiltersProps) {
  const { profileId, platform, connection } = search;
  const platforms = usePlatforms().data?.platforms ?? [];
  const profiles = useProfiles().data?.profiles ?? [];
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
        choices={useChoices(search)}
        onChange={(chosen) => onChange({ connection: chosen })}
      />
    </>
  );
}

/**
 * A slug is unique only within its profile. The chosen one stays, so that it can be seen and left out; it may be the id of one
 * connection.
 */
function useChoices({ profileId, platform, connection }: ConnectionSearch): Choice<string>[] {
  const connections = useConnections().data?.connections ?? [];
  const profileName = useProfileNames();
  const reached = connections.filter(
    (one) =>
      one.slug === connection ||
      ((profileId === undefined || one.profileId === profileId) &&
        (platform === undefined || one.platformId === platform)),
  );
  const slugs = [...new Set(reached.map(({ slug }) => slug))].map((slug) => ({ value: slug, label: slug }));
  const chosen = connections.find(({ id }) => id === connection);
  if (chosen === undefined) return slugs;
  const of = chosen.profileId === null ? 'without a profile' : `of ${profileName(chosen.profileId)}`;
  return [{ value: chosen.id, label: `${chosen.slug}, ${of}` }, ...slugs];
}
