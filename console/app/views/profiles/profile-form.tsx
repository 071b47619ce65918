/** The fields of a profile, to make one and to change one. */
import { type FormEvent, useState } from 'react';
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
  /** @param clear gives the fields their first values again */
  onSubmit(fields: ProfileFields, clear: () => void): void;
}

export function ProfileForm({ initial, action, isPending, failure, onSubmit }: ProfileFormProps) {
  const [name, setName] = useState(initial.name);
  const [externalId, setExternalId] = useState(initial.externalId);
  const clear = () => {
    setName(initial.name);
    setExternalId(initial.externalId);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit({ name: name.trim(), externalId }, clear);
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
        onChange={setName}
      />
      <TextField
        label="External id"
        maxLength={200}
        autoComplete="off"
        hint="Your own id of the customer, unique in the account. It is kept exactly as typed."
        value={externalId}
        onChange={setExternalId}
      />
      <Button look="primary" type="submit" isPending={isPending}>
        {action}
      </Button>
      {failure !== null && <ProblemView failure={failure} />}
    </form>
  );
}
