/** The filters of the list of connections. They live in the address, so that every combination is a link. */
import { useNavigate } from '@tanstack/react-router';
import { type Connection, useNames } from '../../data/connections.ts';
import { useProfileNames } from '../../data/profiles.ts';
import { withoutEmpty } from '../../data/search.ts';
import { FilterSelect } from '../../filters/filter-select.tsx';
import type { Choice } from '../../ui/select.tsx';
import { WordSearch } from '../../ui/word-search.tsx';
import { HEALTH_WORDS, HEALTHS } from './health.ts';
import type { ConnectionsSearch, FilterChanges } from './search.ts';

export interface ConnectionFiltersProps {
  readonly search: ConnectionsSearch;
  readonly connections: readonly Connection[];
}

export function ConnectionFilters({ search, connections }: ConnectionFiltersProps) {
  const navigate = useNavigate({ from: '/connections' });
  const names = useNames();
  const profileName = useProfileNames();
  const change = (changes: FilterChanges, replace = false) =>
    void navigate({
      to: '/connections',
      search: ({ connectSessionId: _done, ...before }) => withoutEmpty({ ...before, ...changes }),
      replace,
    });
  const choice = <Name extends 'platform' | 'profile' | 'health'>(
    name: Name,
    label: string,
    choices: readonly Choice<NonNullable<ConnectionsSearch[Name]>>[],
  ) => (
    <FilterSelect
      label={label}
      value={search[name]}
      choices={choices}
      onChange={(value) => change({ [name]: value })}
    />
  );
  const platforms = unique(connections.map(({ platformId }) => platformId));
  const profiles = unique(connections.map(({ profileId }) => profileId ?? 'own'));
  return (
    <search className="filters">
      <WordSearch words={search.q ?? ''} onSearch={(q) => change({ q }, true)} />
      {choice(
        'health',
        'Login',
        HEALTHS.map((value) => ({ value, label: HEALTH_WORDS[value] })),
      )}
      {choice(
        'platform',
        'Platform',
        platforms.map((value) => ({ value, label: names.platform(value) })),
      )}
      {(profiles.length > 1 || search.profile !== undefined) &&
        choice(
          'profile',
          'Profile',
          profiles.map((value) => ({ value, label: value === 'own' ? 'Own accounts' : profileName(value) })),
        )}
    </search>
  );
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}
