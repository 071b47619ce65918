/** What can be done with a webhook: send a test, enable or disable it, rotate its secret, delete it. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { type Outputs, useTRPC } from '../../data/trpc.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { toast } from '../../ui/toasts.tsx';
import type { Webhook } from './event-names.ts';

export interface WebhookButtonsProps {
  readonly webhook: Webhook;
  onRotated(answer: Outputs['webhooks']['rotateSecret']): void;
}

export function WebhookButtons({ webhook: { id: webhookId, url, enabled }, onRotated }: WebhookButtonsProps) {
  const { test, toggle, rotation, removal } = useWebhookActions(webhookId, onRotated);
  const [asked, setAsked] = useState<'rotate' | 'delete' | null>(null);
  const failure = test.error ?? toggle.error ?? rotation.error ?? removal.error;
  return (
    <>
      <div className="actions">
        {enabled && (
          <Button isPending={test.isPending} onPress={() => test.mutate({ webhookId })}>
            Send a test event
          </Button>
        )}
        <Button isPending={toggle.isPending} onPress={() => toggle.mutate({ webhookId, enabled: !enabled })}>
          {enabled ? 'Disable' : 'Enable'}
        </Button>
        <Button isPending={rotation.isPending} onPress={() => setAsked('rotate')}>
          Rotate the secret
        </Button>
        <Button look="danger" isPending={removal.isPending} onPress={() => setAsked('delete')}>
          Delete
        </Button>
      </div>
      {failure !== null && <ProblemView failure={failure} />}
      <ConfirmDialog
        isOpen={asked === 'rotate'}
        title="Rotate the secret?"
        action="Rotate"
        onConfirm={() => rotation.mutate({ webhookId })}
        onClose={() => setAsked(null)}
      >
        <p>
          The new secret is shown once. For 24 hours deliveries are signed with the present one too. A second rotation
          within them ends that one at once.
        </p>
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={asked === 'delete'}
        title="Delete the webhook?"
        action="Delete"
        onConfirm={() => removal.mutate({ webhookId })}
        onClose={() => setAsked(null)}
      >
        <p>
          <bdi>{url}</bdi> receives nothing from now on. Deliveries that wait for it fail, and its deliveries can no
          longer be read. This cannot be undone.
        </p>
      </ConfirmDialog>
    </>
  );
}

function useWebhookActions(webhookId: string, onRotated: WebhookButtonsProps['onRotated']) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const onSettled = () => queryClient.invalidateQueries(trpc.webhooks.pathFilter());
  const test = useMutation(
    trpc.webhooks.test.mutationOptions({ onSuccess: () => toast('A test event is on its way.'), onSettled }),
  );
  const toggle = useMutation(
    trpc.webhooks.update.mutationOptions({
      onSuccess: ({ webhook: { enabled } }) =>
        toast(enabled ? 'The webhook is enabled.' : 'The webhook is disabled.', () =>
          toggle.mutate({ webhookId, enabled: !enabled }),
        ),
      onSettled,
    }),
  );
  const rotation = useMutation(trpc.webhooks.rotateSecret.mutationOptions({ onSuccess: onRotated, onSettled }));
  const removal = useMutation(
    trpc.webhooks.delete.mutationOptions({
      onSuccess: async () => {
        toast('The webhook is deleted.');
        await navigate({ to: '/webhooks' });
      },
      onSettled,
    }),
  );
  return { test, toggle, rotation, removal };
}
