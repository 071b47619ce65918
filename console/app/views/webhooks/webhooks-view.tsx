/** Webhooks: the addresses that receive events, and a form that makes another. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Outputs, useTRPC } from '../../data/trpc.ts';
import { Allowed, Refusal } from '../../shell/rights.tsx';
import { useTitle } from '../../shell/use-title.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { WebhookIcon } from '../../ui/view-icons.tsx';
import { Link, ServerLink } from '../../ui/link.tsx';
import { Panel } from '../../ui/panel.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { USUAL_EVENTS, type Webhook } from './event-names.ts';
import { NewSecret } from './new-secret.tsx';
import { WebhookForm } from './webhook-form.tsx';
import { DisabledBecause } from './webhook-state.tsx';
import './webhooks.css';

export function WebhooksView() {
  useTitle('Webhooks');
  const query = useQuery(useTRPC().webhooks.list.queryOptions({}));
  return (
    <>
      <header className="view-head">
        <h1>Webhooks</h1>
        <ServerLink href="/docs">API reference</ServerLink>
      </header>
      <QueryView what="the webhooks" query={query}>
        {({ webhooks }) => (
          <>
            <Panel title="Registered addresses">
              {webhooks.length === 0 ? (
                <EmptyState icon={WebhookIcon} title="No webhook is registered">
                  A webhook is an address of your own program. Carillon calls it, signed, when something happens, such
                  as a post that was sent. Register the first one below.
                </EmptyState>
              ) : (
                <ul className="rows">
                  {webhooks.map((webhook) => (
                    <Row key={webhook.id} webhook={webhook} />
                  ))}
                </ul>
              )}
            </Panel>
            <Refusal of="webhooks:write" />
            <Allowed to="webhooks:write">
              <NewWebhook />
            </Allowed>
          </>
        )}
      </QueryView>
    </>
  );
}

function Row({ webhook }: { webhook: Webhook }) {
  const { id, url, description, events, enabled } = webhook;
  return (
    <li>
      <p>
        <Link to="/webhooks/$webhookId" params={{ webhookId: id }} className="link">
          <bdi>{url}</bdi>
        </Link>{' '}
        <StatusBadge status={enabled ? 'enabled' : 'disabled'} />
      </p>
      {description !== null && <p dir="auto">{description}</p>}
      <p className="hint">{events.join(', ')}</p>
      <DisabledBecause webhook={webhook} />
    </li>
  );
}

function NewWebhook() {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [made, setMade] = useState<Outputs['webhooks']['create']['webhook'] | null>(null);
  const making = useMutation(
    trpc.webhooks.create.mutationOptions({
      onSuccess: ({ webhook }) => setMade(webhook),
      onSettled: () => queryClient.invalidateQueries(trpc.webhooks.pathFilter()),
    }),
  );
  return (
    <>
      {made !== null && (
        <NewSecret key={made.id} secret={made.secret} previousUntil={null} onClose={() => setMade(null)} />
      )}
      <Panel title="Register a webhook">
        <WebhookForm
          initial={{ url: '', description: '', events: [...USUAL_EVENTS] }}
          action="Register"
          isPending={making.isPending}
          failure={making.error}
          onSubmit={({ url, events, description }, clear) =>
            making.mutate({ url, events, ...(description !== '' && { description }) }, { onSuccess: clear })
          }
        />
      </Panel>
    </>
  );
}
