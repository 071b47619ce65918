/** The zone and the filters of the calendar. They live in the address, so that every combination is a link. */
import { ConnectionFilters } from '../../filters/connection-filters.tsx';
import { ZoneSelect } from '../../filters/zone-select.tsx';
import { TagsField } from '../posts/tags-field.tsx';
import type { CalendarChanges, CalendarSearch } from './search.ts';

interface CalendarFiltersProps {
  readonly search: CalendarSearch;
  onChange(changes: CalendarChanges): void;
}

// eslint-disable-next-line import/no-default-export -- React loads default exports only
export default function CalendarFilters({ search, onChange }: CalendarFiltersProps) {
  return (
    <>
      <ConnectionFilters search={search} onChange={onChange} />
      <ZoneSelect zone={search.zone} onChange={(zone) => onChange({ zone })} />
      <TagsField
        label="Tag"
        tags={search.tag ?? []}
        removeLabel={(tag) => `Remove the filter for tag ${tag}`}
        onChange={(tag) => onChange({ tag: tag.length > 0 ? tag : undefined })}
      />
    </>
  );
}
