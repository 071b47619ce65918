/** Disconnects an account, after saying what is cancelled. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Connection } from '../../data/connections.ts';
import { useLists } from '../../data/live/use-lists.ts';
import { useTRPC } from '../../data/trpc.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { toast } from '../../ui/toasts.tsx';

/** The most that is counted. */
const COUNT_MAX = 100;

export function Disconnect({ connection: { id: connectionId, slug } }: { connection: Connection }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { refreshPosts } = useLists();
  const [isAsking, setAsking] = useState(false);
  const waiting = useQuery(
    trpc.posts.list.queryOptions(
      // By id: connections of other profiles may have the same slug.
      { connection: connectionId, status: 'scheduled', limit: COUNT_MAX },
      { enabled: isAsking, staleTime: 0 },
    ),
  );
  const removal = useMutation(
    trpc.connections.delete.mutationOptions({
      onSuccess: async () => {
        toast(`${slug} is disconnected.`);
        // Before the lists are read again: the page of this connection has nothing to show.
        await navigate({ to: '/connections' });
        await queryClient.invalidateQueries(trpc.connections.pathFilter());
        await refreshPosts();
      },
    }),
  );
  return (
    <Panel title="Disconnect">
      <p>Removes the stored login and cancels what waits. Sent posts stay readable here and up on the platform.</p>
      <Button
        look="danger"
        aria-label={`Disconnect ${slug}`}
        isPending={removal.isPending}
        onPress={() => setAsking(true)}
      >
        Disconnect
      </Button>
      {removal.error !== null && <ProblemView failure={removal.error} />}
      <ConfirmDialog
        isOpen={isAsking}
        title={`Disconnect ${slug}?`}
        action="Disconnect"
        onConfirm={() => removal.mutate({ connectionId })}
        onClose={() => setAsking(false)}
      >
        <p>
          {cancelled(waiting.data?.posts.length)} This cannot be undone: only someone with the login can connect again.
        </p>
      </ConfirmDialog>
    </Panel>
  );
}

/** @param count undefined while it is not known */
function cancelled(count: number | undefined): string {
  if (count === undefined) return 'Posts that are scheduled or queued are cancelled.';
  if (count === 0) return 'No post waits for it.';
  if (count === 1) return '1 scheduled or queued post is cancelled.';
  return `${count}${count === COUNT_MAX ? ' or more' : ''} scheduled or queued posts are cancelled.`;
}
