/** The fields of a webhook, to make one and to change one. */
import type { FormEvent } from 'react';
import { CheckboxGroup } from 'react-aria-components/CheckboxGroup';
import { FieldError } from 'react-aria-components/FieldError';
import { Label } from 'react-aria-components/Label';
import { useEdits } from '../../data/use-edits.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { TextField } from '../../ui/field.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { EVENT_NAMES, EVENTS, type EventName } from './event-names.ts';

export interface WebhookFields {
  readonly url: string;
  readonly events: EventName[];
  /** Empty for none. */
  readonly description: string;
}

export interface WebhookFormProps {
  readonly initial: WebhookFields;
  /** Name of the button. */
  readonly action: string;
  readonly isPending: boolean;
  /** Why the last try failed; null otherwise. */
  readonly failure: unknown;
  /** @param settle ends the edits, so that the fields have their initial values again */
  onSubmit(fields: WebhookFields, settle: () => void): void;
}

export function WebhookForm({ initial, action, isPending, failure, onSubmit }: WebhookFormProps) {
  const { fields, change, settle } = useEdits<Omit<WebhookFields, 'events'> & { readonly events: readonly string[] }>(
    initial,
  );
  const { url, description, events } = fields;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit(
      {
        url: url.trim(),
        description: description.trim(),
        events: EVENT_NAMES.filter((name) => events.includes(name)),
      },
      settle,
    );
  };
  return (
    <form onSubmit={submit}>
      <TextField
        label="Address"
        type="url"
        isRequired
        autoComplete="off"
        hint="An https address on a public host that answers within 5 seconds, such as https://app.example.com/hook."
        value={url}
        onChange={(next) => change({ url: next })}
      />
      <TextField
        label="Description"
        maxLength={200}
        autoComplete="off"
        dir="auto"
        hint="For people who read this list."
        value={description}
        onChange={(next) => change({ description: next })}
      />
      <CheckboxGroup className="field" isRequired value={[...events]} onChange={(next) => change({ events: next })}>
        <Label>Events</Label>
        <div className="event-list">
          {EVENT_NAMES.map((name) => (
            <Checkbox key={name} value={name}>
              <span>
                <code>{name}</code>
                <span className="hint">{EVENTS[name]}</span>
              </span>
            </Checkbox>
          ))}
        </div>
        <FieldError className="field-error">Choose at least one event.</FieldError>
      </CheckboxGroup>
      <Button look="primary" type="submit" isPending={isPending}>
        {action}
      </Button>
      {failure !== null && <ProblemView failure={failure} />}
    </form>
  );
}
