/** A choice among the time zones that matter here: the browser's, UTC, and those of queues. */
import { useConnections } from '../data/connections.ts';
import { Select } from '../ui/select.tsx';
import { ZONE } from '../ui/times.ts';

export interface ZoneSelectProps {
  /** The browser's zone when undefined. */
  readonly zone: string | undefined;
  onChange(zone: string | undefined): void;
}

export function ZoneSelect({ zone = ZONE, onChange }: ZoneSelectProps) {
  const connections = useConnections().data?.connections ?? [];
  const zones = new Set([ZONE, 'UTC', ...connections.map(({ timezone }) => timezone), zone]);
  return (
    <Select
      label="Time zone"
      value={zone}
      choices={[...zones].map((one) => ({ value: one, label: one === ZONE ? `${one} (yours)` : one }))}
      onChange={(chosen) => onChange(chosen === ZONE ? undefined : chosen)}
    />
  );
}
