/** What a key may do: everything, or the chosen scopes. */
import type { Outputs } from '../../data/trpc.ts';
import { Checkbox } from '../../ui/checkbox.tsx';
import { RadioChoice } from '../../ui/radio-choice.tsx';

type ScopeInfo = Outputs['people']['listScopes']['scopes'][number];
type Scope = ScopeInfo['name'];

export interface ScopeChoiceProps {
  readonly all: readonly ScopeInfo[];
  /** Null for everything. */
  readonly chosen: readonly Scope[] | null;
  onChange(chosen: readonly Scope[] | null): void;
}

export function ScopeChoice({ all, chosen, onChange }: ScopeChoiceProps) {
  const toggle = (name: Scope, isOn: boolean) =>
    onChange(isOn ? [...(chosen ?? []), name] : (chosen ?? []).filter((other) => other !== name));
  return (
    <>
      <RadioChoice<'all' | 'some'>
        label="May do"
        value={chosen === null ? 'all' : 'some'}
        choices={[
          { value: 'all', label: 'Everything' },
          { value: 'some', label: 'Only what I choose' },
        ]}
        onChange={(choice) => onChange(choice === 'all' ? null : [])}
      />
      {chosen !== null && (
        <fieldset className="tick-list">
          <legend>Scopes</legend>
          {all.map(({ name, description }) => (
            <Checkbox key={name} isSelected={chosen.includes(name)} onChange={(isOn) => toggle(name, isOn)}>
              <span>
                <code>{name}</code> <span className="hint">{description}</span>
              </span>
            </Checkbox>
          ))}
        </fieldset>
      )}
    </>
  );
}
