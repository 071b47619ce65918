/** Makes a key, of the whole account or of a profile. One of the account outlives the sign-in, so it asks for the password. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useProfiles } from '../../data/profiles.ts';
import { type Inputs, useTRPC } from '../../data/trpc.ts';
import { Allowed, Refusal } from '../../shell/rights.tsx';
import { useSession } from '../../shell/session-context.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { TextField } from '../../ui/field.tsx';
import { Link } from '../../ui/link.tsx';
import { NativeField } from '../../ui/native-field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { RadioChoice } from '../../ui/radio-choice.tsx';
import { Select } from '../../ui/select.tsx';
import { KeyNameField } from './key-name-field.tsx';
import type { MadeKey } from './made-key.ts';
import { ScopeChoice } from './scope-choice.tsx';

type Fields = Omit<Inputs['people']['createKey'], 'password'>;
type Scope = NonNullable<Fields['scopes']>[number];

/** A choice cannot have an empty value. */
const ACCOUNT = '*';

// eslint-disable-next-line import/no-default-export -- React loads default exports only
export default function KeyForm({ onMade }: { onMade(made: MadeKey): void }) {
  const session = useSession();
  return (
    <Panel title="Make a key">
      {session.kind === 'person' ? (
        <Allowed to="owner" instead={<Refusal of="owner" />}>
          <PersonForm onMade={onMade} />
        </Allowed>
      ) : (
        <p>
          Sign in to make a key for the whole account. With a key, make keys of{' '}
          <Link to="/profiles" className="link">
            profiles
          </Link>
          .
        </p>
      )}
    </Panel>
  );
}

function PersonForm({ onMade }: { onMade(made: MadeKey): void }) {
  const [name, setName] = useState('');
  const [type, setType] = useState<Fields['type']>('test');
  const [reach, setReach] = useState(ACCOUNT);
  const [scopes, setScopes] = useState<readonly Scope[] | null>(null);
  const [asksFirst, setAsksFirst] = useState(false);
  const [expires, setExpires] = useState('');
  const [password, setPassword] = useState('');
  const profiles = useProfiles().data?.profiles ?? [];
  const scopeList = useQuery(useTRPC().people.listScopes.queryOptions({}, { staleTime: Infinity })).data?.scopes;
  const making = useMaking((made) => {
    setName('');
    setPassword('');
    onMade(made);
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const fields: Fields = {
      name: name.trim(),
      type,
      ...(scopes !== null && { scopes: [...scopes] }),
      ...(asksFirst && { approval: 'required' }),
      // The field has the time of the person's own clock.
      ...(expires !== '' && { expiresAt: new Date(expires).toISOString() }),
    };
    making.make(reach === ACCOUNT ? { ...fields, password } : { ...fields, profileId: reach });
  };
  return (
    <form onSubmit={submit}>
      <KeyNameField name={name} onChange={setName} />
      <RadioChoice<Fields['type']>
        label="Type"
        value={type}
        choices={[
          { value: 'test', label: 'Test: sandbox connections only' },
          { value: 'live', label: 'Live' },
        ]}
        onChange={setType}
      />
      {profiles.length > 0 && (
        <Select
          label="Reaches"
          value={reach}
          choices={[
            { value: ACCOUNT, label: 'The whole account' },
            ...profiles.map(({ id, name: profile }) => ({ value: id, label: `Only ${profile}` })),
          ]}
          onChange={setReach}
        />
      )}
      <ScopeChoice all={scopeList ?? []} chosen={scopes} onChange={setScopes} />
      <Checkbox isSelected={asksFirst} onChange={setAsksFirst}>
        Ask first: what it wants to send waits for an owner
      </Checkbox>
      <NativeField
        label="Expires (optional)"
        type="datetime-local"
        value={expires}
        hint="In the time of this browser. From then on the key is refused."
        onChange={setExpires}
      />
      {reach === ACCOUNT && (
        <TextField
          label="Password"
          type="password"
          isRequired
          autoComplete="current-password"
          hint="Yours, because the key outlives your sign-in."
          value={password}
          onChange={setPassword}
        />
      )}
      <Button look="primary" type="submit" isPending={making.isPending} isDisabled={scopes?.length === 0}>
        Make the key
      </Button>
      {making.error !== null && <ProblemView failure={making.error} />}
    </form>
  );
}

type Wanted = Inputs['people']['createKey'] | Inputs['keys']['mint'];

/** Keys of the account and of profiles are made by two operations. */
function useMaking(onMade: (made: MadeKey) => void) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const options = { onSettled: () => queryClient.invalidateQueries(trpc.keys.pathFilter()) };
  const creation = useMutation(trpc.people.createKey.mutationOptions(options));
  const minting = useMutation(trpc.keys.mint.mutationOptions(options));
  return {
    make: (wanted: Wanted) => {
      creation.reset();
      minting.reset();
      if ('password' in wanted) creation.mutate(wanted, { onSuccess: onMade });
      else minting.mutate(wanted, { onSuccess: onMade });
    },
    isPending: creation.isPending || minting.isPending,
    error: creation.error ?? minting.error,
  };
}
