/** Deletes a profile, after saying what ends with it. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useLists } from '../../data/live/use-lists.ts';
import { type Outputs, useTRPC } from '../../data/trpc.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { toast } from '../../ui/toasts.tsx';

export function DeleteProfile({ profile: { id, name } }: { profile: Outputs['profiles']['get']['profile'] }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { refreshPosts } = useLists();
  const [isAsking, setAsking] = useState(false);
  const connections = useQuery(trpc.connections.list.queryOptions({ profileId: id })).data?.connections;
  const removal = useMutation(
    trpc.profiles.delete.mutationOptions({
      onSuccess: async ({ removedConnections }) => {
        toast(`${name} is deleted, with ${connectionsInWords(removedConnections)}.`);
        // Before the lists are read again: the page of this profile has nothing to show.
        await navigate({ to: '/profiles' });
        for (const part of [trpc.profiles, trpc.connections, trpc.keys, trpc.webhooks]) {
          void queryClient.invalidateQueries(part.pathFilter());
        }
        await refreshPosts();
      },
    }),
  );
  return (
    <Panel title="Delete">
      <p>Deleting a profile ends all that belongs to the customer. Sent posts stay readable.</p>
      <Button look="danger" isPending={removal.isPending} onPress={() => setAsking(true)}>
        Delete the profile
      </Button>
      {removal.error !== null && <ProblemView failure={removal.error} />}
      <ConfirmDialog
        isOpen={isAsking}
        title={`Delete ${name}?`}
        action="Delete"
        onConfirm={() => removal.mutate({ profileId: id })}
        onClose={() => setAsking(false)}
      >
        <p>This cannot be undone. It ends:</p>
        <ul>
          <li>
            {connections === undefined ? 'Its connections' : connectionsInWords(connections.length)}, and the posts that
            wait for them
          </li>
          <li>Its keys and webhooks, and the access of agents to it</li>
          <li>Links that were sent to the customer, and stored images</li>
        </ul>
      </ConfirmDialog>
    </Panel>
  );
}

function connectionsInWords(count: number): string {
  return count === 1 ? '1 connection' : `${count} connections`;
}
