/** The dialog in which an owner gives a person another role. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Heading } from 'react-aria-components/Heading';
import type { Role } from '../../data/session.ts';
import { type Outputs, useTRPC } from '../../data/trpc.ts';
import { Sheet } from '../../shell/sheet.tsx';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { RadioChoice } from '../../ui/radio-choice.tsx';
import { toast } from '../../ui/toasts.tsx';
import { ROLE_CHOICES } from './roles.ts';

export interface RoleSheetProps {
  readonly person: Outputs['people']['list']['people'][number];
  onClose(): void;
}

// eslint-disable-next-line import/no-default-export -- React loads default exports only
export default function RoleSheet({ person: { id, email, role: before }, onClose }: RoleSheetProps) {
  const [role, setRole] = useState<Role>(before);
  const [password, setPassword] = useState('');
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const change = useMutation(
    trpc.people.changeRole.mutationOptions({
      onSuccess: () => {
        toast(`${email} is ${role} now.`);
        onClose();
      },
      onSettled: () => void queryClient.invalidateQueries(trpc.people.pathFilter()),
    }),
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate({ personId: id, role, password });
  };
  return (
    <Sheet label={`Change the role of ${email}`} place="middle" onClose={onClose}>
      <Heading slot="title">Change the role</Heading>
      <form onSubmit={submit}>
        <RadioChoice<Role> label={`Role of ${email}`} value={role} choices={ROLE_CHOICES} onChange={setRole} />
        {before === 'owner' && role !== 'owner' && (
          <p>Their open invitations end, and so do the keys and webhooks that their agents created.</p>
        )}
        <TextField
          label="Your password"
          type="password"
          isRequired
          autoComplete="current-password"
          value={password}
          onChange={setPassword}
        />
        {change.error !== null && <ProblemView failure={change.error} />}
        <div className="actions">
          <Button onPress={onClose}>Keep {before}</Button>
          <Button look="primary" type="submit" isDisabled={role === before} isPending={change.isPending}>
            Change role
          </Button>
        </div>
      </form>
    </Sheet>
  );
}
