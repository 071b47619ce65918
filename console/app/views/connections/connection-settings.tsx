/** Changes the slug, the description and the polish of a connection, with undo. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import type { Connection } from '../../data/connections.ts';
import { type Inputs, useTRPC } from '../../data/trpc.ts';
import { useEdits } from '../../data/use-edits.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { RadioChoice } from '../../ui/radio-choice.tsx';
import type { Choice } from '../../ui/select.tsx';
import { toast } from '../../ui/toasts.tsx';

const POLISH: readonly Choice<Connection['rewriteMode']>[] = [
  { value: 'inherit', label: 'As the account says' },
  { value: 'on', label: 'Always, unless a post says no' },
  { value: 'off', label: 'Never, unless a post says yes' },
];

export function ConnectionSettings({ connection }: { connection: Connection }) {
  const { id: connectionId, slug, description, rewriteMode } = connection;
  const stored = { slug, description, rewriteMode };
  const { fields, changes, change, settle } = useEdits(stored);
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { mutateAsync, isPending, error } = useMutation(
    trpc.connections.updateSettings.mutationOptions({
      onSettled: () => queryClient.invalidateQueries(trpc.connections.pathFilter()),
    }),
  );
  // Callbacks of `mutate` end with this view, which undo outlives.
  const save = (settings: Omit<Inputs['connections']['updateSettings'], 'connectionId'>, onSuccess: () => void) =>
    void mutateAsync({ connectionId, ...settings }).then(onSuccess, () => undefined);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // Others may change the rest before it is taken back.
    const before = Object.fromEntries(Object.entries(stored).filter(([name]) => name in changes));
    save({ ...fields, slug: fields.slug.trim(), description: fields.description.trim() }, () => {
      settle();
      const undo = () => save(before, () => toast('The settings are as before.'));
      toast('The settings are saved.', Object.keys(before).length === 0 ? undefined : undo);
    });
  };
  return (
    <Panel title="Settings">
      <form onSubmit={submit}>
        <TextField
          label="Slug"
          isRequired
          maxLength={80}
          autoComplete="off"
          hint="What posts are addressed to. Programs that post to the present one must change too; stored posts are still sent."
          value={fields.slug}
          onChange={(value) => change({ slug: value })}
        />
        <TextField
          label="Description"
          isRequired
          maxLength={200}
          autoComplete="off"
          dir="auto"
          hint="For people. No platform sees it."
          value={fields.description}
          onChange={(value) => change({ description: value })}
        />
        <RadioChoice
          label="AI polish of texts"
          value={fields.rewriteMode}
          choices={POLISH}
          onChange={(value) => change({ rewriteMode: value })}
        />
        <Button look="primary" type="submit" isPending={isPending}>
          Save
        </Button>
        {error !== null && <ProblemView failure={error} />}
      </form>
    </Panel>
  );
}
