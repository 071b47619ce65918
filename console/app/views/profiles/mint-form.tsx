/** Mints a key of a profile. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type Inputs, type Outputs, useTRPC } from '../../data/trpc.ts';
import { useSession } from '../../shell/session-context.ts';
import { Button } from '../../ui/button.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { RadioChoice } from '../../ui/radio-choice.tsx';
import { KeyNameField } from '../keys/key-name-field.tsx';

type KeyType = Inputs['keys']['mint']['type'];

const TYPES: readonly { readonly value: KeyType; readonly label: string }[] = [
  { value: 'live', label: 'Live' },
  { value: 'test', label: 'Test: sandbox connections only' },
];

export interface MintFormProps {
  readonly profileId: string;
  onMinted(answer: Outputs['keys']['mint']): void;
}

export function MintForm({ profileId, onMinted }: MintFormProps) {
  const session = useSession();
  // A test key mints test keys only.
  const types = session.kind === 'key' && session.key.startsWith('crl_test_') ? TYPES.slice(1) : TYPES;
  const [name, setName] = useState('');
  const [type, setType] = useState<KeyType>(types[0]?.value ?? 'test');
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const minting = useMutation(
    trpc.keys.mint.mutationOptions({
      onSuccess: onMinted,
      onSettled: () => queryClient.invalidateQueries(trpc.keys.pathFilter()),
    }),
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    minting.mutate({ profileId, name: name.trim(), type }, { onSuccess: () => setName('') });
  };
  return (
    <form onSubmit={submit}>
      <h3>Mint a key</h3>
      <KeyNameField name={name} onChange={setName} />
      <RadioChoice<KeyType> label="Type" value={type} choices={types} onChange={setType} />
      <Button type="submit" isPending={minting.isPending}>
        Mint
      </Button>
      {minting.error !== null && <ProblemView failure={minting.error} />}
    </form>
  );
}
