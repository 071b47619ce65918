/** Invites a person by email. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Role } from '../../data/session.ts';
import { type Outputs, useTRPC } from '../../data/trpc.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { RadioChoice } from '../../ui/radio-choice.tsx';
import { ROLE_CHOICES } from './roles.ts';

export function InviteForm({ onInvited }: { onInvited(invitation: Outputs['people']['invite']): void }) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('editor');
  const [password, setPassword] = useState('');
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const invitation = useMutation(
    trpc.people.invite.mutationOptions({
      onSuccess: onInvited,
      onSettled: () => void queryClient.invalidateQueries(trpc.people.pathFilter()),
    }),
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const clear = () => {
      setEmail('');
      setPassword('');
    };
    invitation.mutate({ email: email.trim(), role, password }, { onSuccess: clear });
  };
  return (
    <form onSubmit={submit}>
      <h3>Invite a person</h3>
      <TextField label="Email" type="email" isRequired autoComplete="off" value={email} onChange={setEmail} />
      <RadioChoice<Role> label="Role" value={role} choices={ROLE_CHOICES} onChange={setRole} />
      <TextField
        label="Your password"
        type="password"
        isRequired
        autoComplete="current-password"
        hint="An invitation outlives your sign-in, so it needs the password."
        value={password}
        onChange={setPassword}
      />
      <Button type="submit" isPending={invitation.isPending}>
        Invite
      </Button>
      {invitation.error !== null && <ProblemView failure={invitation.error} />}
    </form>
  );
}
