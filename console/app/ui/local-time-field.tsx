/** A date and a time on the clocks of a zone. If clocks show the time twice, it asks which of the two is meant. */
import type { ReactNode } from 'react';
import { type LocalTime, repeatsOf } from './local-time.ts';
import { NativeField } from './native-field.tsx';
import { RadioChoice } from './radio-choice.tsx';
import { timeAt } from './zoned.ts';

export interface LocalTimeFieldProps {
  readonly value: LocalTime;
  readonly zone: string;
  readonly hint: ReactNode;
  onChange(value: LocalTime): void;
}

export function LocalTimeField({ value, zone, hint, onChange }: LocalTimeFieldProps) {
  const change = (time: string) => {
    // 02:30 becomes 02:45 of the same hour; the choice does not outlive a time that comes once.
    const isSecond = value.isSecond && repeatsOf({ time, isSecond: true }, zone).length > 0;
    onChange({ time, isSecond });
  };
  const repeats = repeatsOf(value, zone);
  return (
    <>
      <NativeField type="datetime-local" label="Date and time" value={value.time} hint={hint} onChange={change} />
      {repeats.length > 0 && (
        <RadioChoice
          label="Clocks show this time twice"
          value={value.isSecond ? 'second' : 'first'}
          choices={repeats.map((instant, index) => ({
            value: index === 0 ? 'first' : 'second',
            label: timeAt(instant, zone),
          }))}
          onChange={(chosen) => onChange({ ...value, isSecond: chosen === 'second' })}
        />
      )}
    </>
  );
}
