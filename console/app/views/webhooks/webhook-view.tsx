/** One webhook: its state, what can be done with it, its fields, and its deliveries. */
import { getRouteApi } from '@tanstack/react-router';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Outputs, useTRPC } from '../../data/trpc.ts';
import { Allowed, Refusal } from '../../shell/rights.tsx';
import { useTitle } from '../../shell/use-title.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { WebhookIcon } from '../../ui/view-icons.tsx';
import { Link } from '../../ui/link.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/panel.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { toast } from '../../ui/toasts.tsx';
import { DeliveryList } from './delivery-list.tsx';
import { DeliveryPanel } from './delivery-panel.tsx';
import type { Webhook } from './event-names.ts';
import { NewSecret } from './new-secret.tsx';
import { WebhookButtons } from './webhook-buttons.tsx';
import { WebhookForm } from './webhook-form.tsx';
import { DisabledBecause } from './webhook-state.tsx';
import './webhooks.css';

const route = getRouteApi('/webhooks/$webhookId');

export function WebhookView() {
  useTitle('Webhook');
  const { webhookId } = route.useParams();
  const query = useQuery(useTRPC().webhooks.list.queryOptions({}));
  const webhook = query.data?.webhooks.find(({ id }) => id === webhookId);
  return (
    <>
      <p>
        <Link to="/webhooks" className="link">
          All webhooks
        </Link>
      </p>
      <header className="view-head">
        <h1>Webhook</h1>
        {webhook !== undefined && <StatusBadge status={webhook.enabled ? 'enabled' : 'disabled'} />}
      </header>
      <QueryView what="the webhook" query={query}>
        {() => (webhook === undefined ? <Gone /> : <WebhookPanels key={webhook.id} webhook={webhook} />)}
      </QueryView>
    </>
  );
}

/** The API has no operation that reads one webhook, so this is no refusal of the service. */
function Gone() {
  return (
    <EmptyState icon={WebhookIcon} title="There is no such webhook">
      It was deleted, or it belongs to another account.
    </EmptyState>
  );
}

function WebhookPanels({ webhook }: { webhook: Webhook }) {
  const { status, delivery } = route.useSearch();
  const [rotated, setRotated] = useState<Outputs['webhooks']['rotateSecret'] | null>(null);
  return (
    <>
      <p className="webhook-url">
        <bdi>{webhook.url}</bdi>
      </p>
      {webhook.description !== null && <p dir="auto">{webhook.description}</p>}
      <p className="hint">
        Registered <Moment at={webhook.createdAt} />
      </p>
      <DisabledBecause webhook={webhook} />
      <Refusal of="webhooks:write" />
      <Allowed to="webhooks:write">
        <WebhookButtons webhook={webhook} onRotated={setRotated} />
      </Allowed>
      {rotated !== null && (
        <NewSecret
          secret={rotated.webhook.secret}
          previousUntil={rotated.previousSecretUntil}
          onClose={() => setRotated(null)}
        />
      )}
      {delivery !== undefined && (
        <DeliveryPanel key={delivery} webhook={webhook} deliveryId={delivery} status={status} />
      )}
      <DeliveryList webhook={webhook} />
      <Allowed to="webhooks:write">
        <Change webhook={webhook} />
      </Allowed>
    </>
  );
}

function Change({ webhook: { id, url, events, description } }: { webhook: Webhook }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const change = useMutation(
    trpc.webhooks.update.mutationOptions({
      onSuccess: () => toast('The webhook is changed.'),
      onSettled: () => queryClient.invalidateQueries(trpc.webhooks.pathFilter()),
    }),
  );
  return (
    <Panel title="Change">
      <WebhookForm
        initial={{ url, events, description: description ?? '' }}
        action="Save"
        isPending={change.isPending}
        failure={change.error}
        onSubmit={(fields, settle) =>
          change.mutate(
            { webhookId: id, ...fields, description: fields.description === '' ? null : fields.description },
            { onSuccess: settle },
          )
        }
      />
    </Panel>
  );
}
