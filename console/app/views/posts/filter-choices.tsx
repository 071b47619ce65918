/** Filters that are chosen and not typed. */
import { ConnectionFilters } from '../../filters/connection-filters.tsx';
import { FilterSelect } from '../../filters/filter-select.tsx';
import { NativeField } from '../../ui/native-field.tsx';
import { type FilterChanges, type PostsSearch, STATUSES } from './search.ts';
import { TagsField } from './tags-field.tsx';

interface FilterChoicesProps {
  readonly search: PostsSearch;
  onChange(changes: FilterChanges): void;
}

// eslint-disable-next-line import/no-default-export -- React loads default exports only
export default function FilterChoices({ search, onChange }: FilterChoicesProps) {
  return (
    <>
      <FilterSelect
        label="Status"
        value={search.status}
        choices={STATUSES.map((value) => ({ value, label: value }))}
        onChange={(status) => onChange({ status })}
      />
      <ConnectionFilters search={search} onChange={onChange} />
      <NativeField type="date" label="From" value={search.from ?? ''} onChange={(from) => onChange({ from })} />
      <NativeField type="date" label="To" value={search.to ?? ''} onChange={(to) => onChange({ to })} />
      <TagsField
        label="Tag"
        tags={search.tag ?? []}
        removeLabel={(tag) => `Remove the filter for tag ${tag}`}
        onChange={(tag) => onChange({ tag })}
      />
    </>
  );
}
