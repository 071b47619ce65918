/** A date or a time as the browser asks for it: every phone has a good picker. */
import { type ReactNode, useId } from 'react';

export interface NativeFieldProps {
  readonly label: string;
  readonly type: 'date' | 'datetime-local' | 'time';
  readonly value: string;
  readonly hint?: ReactNode;
  onChange(value: string): void;
}

/** Browsers take years of up to six digits, which neither Date nor the API reads. */
const LATE_YEAR = /^\d{5}/;

export function NativeField({ label, type, value, hint, onChange }: NativeFieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type={type}
        value={value}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={({ target }) => {
          if (!LATE_YEAR.test(target.value)) onChange(target.value);
        }}
      />
      {hint !== undefined && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
