/** Changes the password of the person. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTRPC } from '../../data/trpc.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { toast } from '../../ui/toasts.tsx';

export function PasswordForm({ email }: { email: string }) {
  const [password, setPassword] = useState('');
  const [newPassword, setNewPassword] = useState('');
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const change = useMutation(
    trpc.people.changePassword.mutationOptions({
      onSuccess: () => {
        toast('Your password is changed. Every other browser was signed out.');
        setPassword('');
        setNewPassword('');
      },
      onSettled: () => void queryClient.invalidateQueries(trpc.people.listSignIns.pathFilter()),
    }),
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate({ password, newPassword });
  };
  return (
    <form onSubmit={submit}>
      {/* For password managers. */}
      <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
      <TextField
        label="Current password"
        type="password"
        isRequired
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
      />
      <TextField
        label="New password"
        type="password"
        isRequired
        autoComplete="new-password"
        hint="At least 12 characters. Several words are easier to keep than signs."
        value={newPassword}
        onChange={setNewPassword}
      />
      <Button type="submit" isPending={change.isPending}>
        Change password
      </Button>
      {change.error !== null && <ProblemView failure={change.error} />}
    </form>
  );
}
