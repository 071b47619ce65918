/** A choice of one among few that all show. */
import { Label } from 'react-aria-components/Label';
import { Radio, RadioGroup } from 'react-aria-components/RadioGroup';
import type { Choice } from './select.tsx';

export interface RadioChoiceProps<Value extends string> {
  readonly label: string;
  readonly choices: readonly Choice<Value>[];
  readonly value: Value;
  onChange(value: Value): void;
}

export function RadioChoice<Value extends string>({ label, choices, value, onChange }: RadioChoiceProps<Value>) {
  return (
    <RadioGroup className="field radios" value={value} onChange={(chosen) => onChange(chosen as Value)}>
      <Label>{label}</Label>
      <div className="radio-list">
        {choices.map(({ value: choice, label: text }) => (
          <Radio key={choice} value={choice} className="radio">
            <span className="radio-dot" aria-hidden />
            {text}
          </Radio>
        ))}
      </div>
    </RadioGroup>
  );
}
