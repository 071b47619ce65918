/** Window and filters of the metrics. They live in the address, so that every combination is a link. */
import { useNavigate } from '@tanstack/react-router';
import { present } from '../../data/search.ts';
import { ConnectionFilters } from '../../filters/connection-filters.tsx';
import type { Changes } from '../../filters/connection-search.ts';
import { ZoneSelect } from '../../filters/zone-select.tsx';
import { useNow } from '../../ui/moment.tsx';
import { NativeField } from '../../ui/native-field.tsx';
import { RadioChoice } from '../../ui/radio-choice.tsx';
import { TagsField } from '../posts/tags-field.tsx';
import { DEFAULT_PRESET, filterOf, hasOwnDates, type AnalyticsSearch, PRESETS } from './search.ts';

/** The choice of days instead of a length. */
const OWN = 'own';

// eslint-disable-next-line import/no-default-export -- React loads default exports only
export default function AnalyticsFilters({ search }: { search: AnalyticsSearch }) {
  const navigate = useNavigate({ from: '/analytics' });
  const change = (changes: Changes<AnalyticsSearch>) =>
    void navigate({ to: '/analytics', search: (before) => present({ ...before, ...changes }) as AnalyticsSearch });
  return (
    <search className="analytics-filters">
      <WindowChoice search={search} onChange={change} />
      <div className="filter-row">
        <ConnectionFilters search={search} onChange={change} />
        <ZoneSelect zone={search.zone} onChange={(zone) => change({ zone })} />
        <TagsField
          label="Tag"
          tags={search.tag ?? []}
          removeLabel={(tag) => `Remove the filter for tag ${tag}`}
          onChange={(tag) => change({ tag: tag.length > 0 ? tag : undefined })}
        />
      </div>
    </search>
  );
}

interface PartProps {
  readonly search: AnalyticsSearch;
  onChange(changes: Changes<AnalyticsSearch>): void;
}

function WindowChoice({ search, onChange }: PartProps) {
  const now = useNow();
  const isOwn = hasOwnDates(search);
  const { from = '', to = '' } = isOwn ? search : filterOf(search, now);
  return (
    <>
      <RadioChoice
        label="Window, in UTC days"
        value={isOwn ? OWN : (search.days ?? DEFAULT_PRESET)}
        choices={[
          ...PRESETS.map((days) => ({ value: days, label: `Last ${days} days` })),
          { value: OWN, label: 'From a day to a day' },
        ]}
        onChange={(chosen) =>
          onChange(chosen === OWN ? { from, to, days: undefined } : { days: chosen, from: undefined, to: undefined })
        }
      />
      {isOwn && (
        <div className="filter-row">
          <NativeField type="date" label="From" value={from} onChange={(day) => onChange({ from: day || undefined })} />
          <NativeField type="date" label="To" value={to} onChange={(day) => onChange({ to: day || undefined })} />
        </div>
      )}
    </>
  );
}
