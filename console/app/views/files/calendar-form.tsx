/** Makes a calendar address: of the account, a profile or a connection. Loaded after the list. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useConnections } from '../../data/connections.ts';
import { useProfiles } from '../../data/profiles.ts';
import { type Outputs, useTRPC } from '../../data/trpc.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { TextField } from '../../ui/field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { RadioChoice } from '../../ui/radio-choice.tsx';
import { Select } from '../../ui/select.tsx';

const EXTENTS = ['account', 'profile', 'connection'] as const;
type Extent = (typeof EXTENTS)[number];

const EXTENT_WORDS: Readonly<Record<Extent, string>> = {
  account: 'The whole account',
  profile: 'One profile',
  connection: 'One connection',
};

const NAME_MAX = 100;

// eslint-disable-next-line import/no-default-export -- React loads default exports only
export default function CalendarForm({
  onMade,
}: {
  onMade(calendar: Outputs['calendars']['create']['calendar']): void;
}) {
  const [name, setName] = useState('');
  const [extent, setExtent] = useState<Extent>('account');
  const [chosen, setChosen] = useState<string | null>(null);
  const [hasFreeSlots, setFreeSlots] = useState(true);
  const choices = useChoices(extent);
  const subject = chosen ?? choices[0]?.value ?? null;
  const making = useMaking((calendar) => {
    setName('');
    onMade(calendar);
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    making.mutate({
      freeSlots: hasFreeSlots,
      ...(name.trim() !== '' && { name: name.trim() }),
      ...(extent === 'profile' && subject !== null && { profileId: subject }),
      ...(extent === 'connection' && subject !== null && { connectionId: subject }),
    });
  };
  const isEmpty = extent !== 'account' && choices.length === 0;
  return (
    <Panel title="Make a calendar address">
      <form onSubmit={submit}>
        <TextField
          label="Name"
          maxLength={NAME_MAX}
          autoComplete="off"
          dir="auto"
          hint="What calendar applications call it."
          value={name}
          onChange={setName}
        />
        <RadioChoice
          label="What it shows"
          value={extent}
          choices={EXTENTS.map((value) => ({ value, label: EXTENT_WORDS[value] }))}
          onChange={(value) => {
            setExtent(value);
            setChosen(null);
          }}
        />
        {extent !== 'account' && subject !== null && (
          <div className="field">
            <Select
              label={extent === 'profile' ? 'Profile' : 'Connection'}
              value={subject}
              choices={choices}
              onChange={setChosen}
            />
          </div>
        )}
        {isEmpty && <p className="hint">There is no {extent} yet.</p>}
        <div className="field">
          <Checkbox isSelected={hasFreeSlots} onChange={setFreeSlots}>
            Show the free slots of queues
          </Checkbox>
        </div>
        <Button look="primary" type="submit" isPending={making.isPending} isDisabled={isEmpty}>
          Make an address
        </Button>
        {making.error !== null && <ProblemView failure={making.error} />}
      </form>
    </Panel>
  );
}

function useChoices(extent: Extent) {
  const profiles = useProfiles().data?.profiles ?? [];
  const connections = useConnections().data?.connections ?? [];
  if (extent === 'profile') return profiles.map(({ id, name }) => ({ value: id, label: name }));
  return connections.map(({ id, slug }) => ({ value: id, label: slug }));
}

function useMaking(onMade: (calendar: Outputs['calendars']['create']['calendar']) => void) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  return useMutation(
    trpc.calendars.create.mutationOptions({
      onSuccess: ({ calendar }) => onMade(calendar),
      onSettled: () => queryClient.invalidateQueries(trpc.calendars.pathFilter()),
    }),
  );
}
