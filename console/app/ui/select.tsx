/** A choice of one among few. */
import { Button } from 'react-aria-components/Button';
import { Label } from 'react-aria-components/Label';
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox';
import { Popover } from 'react-aria-components/Popover';
import { Select as AriaSelect, SelectValue } from 'react-aria-components/Select';
import { ChevronDown } from './icons.tsx';

export interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: string;
}

export interface SelectProps<Value extends string> {
  readonly label: string;
  readonly choices: readonly Choice<Value>[];
  readonly value: Value;
  onChange(value: Value): void;
}

export function Select<Value extends string>({ label, choices, value, onChange }: SelectProps<Value>) {
  return (
    <AriaSelect className="select" value={value} onChange={(key) => onChange(key as Value)}>
      <Label>{label}</Label>
      <Button className="button button-plain select-button">
        <SelectValue />
        <ChevronDown aria-hidden size={16} />
      </Button>
      <Popover className="popover">
        <ListBox className="options" items={choices.map(({ value: id, label: text }) => ({ id, text }))}>
          {({ id, text }) => (
            <ListBoxItem id={id} textValue={text} className="option">
              {text}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}
