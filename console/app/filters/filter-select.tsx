/** A filter with one choice among few, or all. */
import { type Choice, Select } from '../ui/select.tsx';

/** A choice cannot have an empty value. */
const ALL = '*';

export interface FilterSelectProps<Value extends string> {
  readonly label: string;
  readonly choices: readonly Choice<Value>[];
  /** Undefined means all. */
  readonly value: Value | undefined;
  onChange(value: Value | undefined): void;
}

export function FilterSelect<Value extends string>({ label, choices, value, onChange }: FilterSelectProps<Value>) {
  return (
    <Select<Value | typeof ALL>
      label={label}
      value={value ?? ALL}
      choices={[{ value: ALL, label: 'All' }, ...choices]}
      onChange={(chosen) => onChange(chosen === ALL ? undefined : chosen)}
    />
  );
}
