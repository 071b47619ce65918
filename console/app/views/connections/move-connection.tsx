/** Moves a connection to another profile or to the own accounts, with undo. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Connection } from '../../data/connections.ts';
import { useProfiles } from '../../data/profiles.ts';
import { useTRPC } from '../../data/trpc.ts';
import { Button } from '../../ui/button.tsx';
import { Link } from '../../ui/link.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { Select } from '../../ui/select.tsx';
import { toast } from '../../ui/toasts.tsx';

/** A choice cannot have an empty value. */
const OWN = '*';

export function MoveConnection({ connection: { id: connectionId, profileId } }: { connection: Connection }) {
  const profiles = useProfiles().data?.profiles ?? [];
  const [target, setTarget] = useState(profileId ?? OWN);
  const [shown, setShown] = useState(profileId);
  // Moved here, or elsewhere.
  if (shown !== profileId) {
    setShown(profileId);
    setTarget(profileId ?? OWN);
  }
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { mutateAsync, isPending, error } = useMutation(
    trpc.connections.move.mutationOptions({
      onSettled: () => queryClient.invalidateQueries(trpc.connections.pathFilter()),
    }),
  );
  // Callbacks of `mutate` end with this view, which undo outlives.
  const move = (to: string | null, onSuccess: () => void) =>
    void mutateAsync({ connectionId, profileId: to }).then(onSuccess, () => undefined);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    move(target === OWN ? null : target, () =>
      toast('The connection is moved.', () => move(profileId, () => toast('The connection is back.'))),
    );
  };
  return (
    <Panel title="Move">
      <p className="hint">
        Slug, queue and scheduled posts move too. Posts keep the profile for which they were written. Pages of a
        LinkedIn member move with the member.
      </p>
      {profiles.length === 0 ? (
        <p>
          There is no profile to move it to.{' '}
          <Link to="/profiles" className="link">
            Make a profile
          </Link>
        </p>
      ) : (
        <form onSubmit={submit}>
          <Select
            label="To"
            value={target}
            choices={[
              { value: OWN, label: 'Our own accounts' },
              ...profiles.map(({ id, name }) => ({ value: id, label: name })),
            ]}
            onChange={setTarget}
          />
          <div className="actions">
            <Button type="submit" isPending={isPending} isDisabled={target === (profileId ?? OWN)}>
              Move
            </Button>
          </div>
          {error !== null && <ProblemView failure={error} />}
        </form>
      )}
    </Panel>
  );
}
