/** Sends a delivery again that has ended. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTRPC } from '../../data/trpc.ts';
import { useCan } from '../../shell/rights.tsx';
import { Button } from '../../ui/button.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { toast } from '../../ui/toasts.tsx';
import { canReplay, type Delivery } from './deliveries.ts';

export interface ReplayButtonProps {
  readonly webhookId: string;
  readonly delivery: Pick<Delivery, 'id' | 'event' | 'status'>;
  /** A disabled webhook receives no replay. */
  readonly isEnabled: boolean;
  /** The button goes, and the focus would go with it. */
  onReplayed(): void;
}

export function ReplayButton({ webhookId, delivery, isEnabled, onReplayed }: ReplayButtonProps) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const replay = useMutation(
    trpc.webhooks.replay.mutationOptions({
      onSuccess: () => {
        onReplayed();
        toast('The delivery is sent again.');
      },
      onSettled: () => queryClient.invalidateQueries(trpc.webhooks.pathFilter()),
    }),
  );
  const canWrite = useCan('webhooks:write');
  const { id, event } = delivery;
  return (
    <>
      {replay.error !== null && <ProblemView failure={replay.error} />}
      {canWrite && isEnabled && canReplay(delivery) && (
        <Button
          aria-label={`Replay ${event} ${id}`}
          isPending={replay.isPending}
          onPress={() => replay.mutate({ webhookId, deliveryId: id })}
        >
          Replay
        </Button>
      )}
    </>
  );
}
