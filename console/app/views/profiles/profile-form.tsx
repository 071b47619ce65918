/** The fields of a profile, to make one and to change one. */
import type { FormEvent } from 'react';
import { useEdits } from '../../data/use-edits.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';

export interface ProfileFields {
  readonly name: string;
  /** Empty for none. */
  readonly externalId: string;
}

export interface ProfileFormProps {
  readonly initial: ProfileFields;
  /** Name of the button. */
  readonly action: string;
  readonly isPending: boolean;
  /** Why the last try failed; null otherwise. */
  readonly failure: unknown;
  /** @param settle ends the edits, so that the fields have their initial values again */
  onSubmit(fields: ProfileFields, settle: () => void): void;
}

export function ProfileForm({ initial, action, isPending, failure, onSubmit }: ProfileFormProps) {
  const { fields, change, settle } = useEdits(initial);
  const { name, externalId } = fields;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit({ name: name.trim(), externalId }, settle);
  };
  return (
    <form onSubmit={submit}>
      <TextField
        label="Name"
        isRequired
        maxLength={100}
        autoComplete="off"
        dir="auto"
        hint="For people. No platform sees it."
        value={name}
        onChange={(next) => change({ name: next })}
      />
      <TextField
        label="External id"
        maxLength={200}
        autoComplete="off"
        hint="Your own id of the customer, unique in the account. It is kept exactly as typed."
        value={externalId}
        onChange={(next) => change({ externalId: next })}
      />
      <Button look="primary" type="submit" isPending={isPending}>
        {action}
      </Button>
      {failure !== null && <ProblemView failure={failure} />}
    </form>
  );
}
