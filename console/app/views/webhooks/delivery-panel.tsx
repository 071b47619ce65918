/** One delivery: the body that the receiver gets, and each attempt. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { type Outputs, useTRPC } from '../../data/trpc.ts';
import { Button } from '../../ui/button.tsx';
import { Copy } from '../../ui/icons.tsx';
import { Link } from '../../ui/link.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/panel.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { toast } from '../../ui/toasts.tsx';
import { ATTEMPTS_MAX, type ListedStatus, readAgainMs } from './deliveries.ts';
import type { Webhook } from './event-names.ts';
import { ReplayButton } from './replay-button.tsx';

type DeliveryDetail = Outputs['webhooks']['delivery']['delivery'];
type LoggedAttempt = DeliveryDetail['attemptLog'][number];

export interface DeliveryPanelProps {
  readonly webhook: Webhook;
  readonly deliveryId: string;
  /** Filter of the list to which closing returns. */
  readonly status: ListedStatus | undefined;
}

export function DeliveryPanel({ webhook: { id: webhookId, enabled }, deliveryId, status }: DeliveryPanelProps) {
  const query = useQuery(
    useTRPC().webhooks.delivery.queryOptions(
      { webhookId, deliveryId },
      { refetchInterval: ({ state }) => (state.data === undefined ? false : readAgainMs([state.data.delivery])) },
    ),
  );
  const top = useRef<HTMLDivElement>(null);
  // The row that was pressed may be far below.
  useEffect(() => top.current?.focus(), []);
  const close = (
    <Link
      to="/webhooks/$webhookId"
      params={{ webhookId }}
      search={status === undefined ? {} : { status }}
      className="link"
    >
      Close the delivery
    </Link>
  );
  return (
    <div ref={top} tabIndex={-1} className="delivery-panel">
      <Panel title="Delivery" aside={close}>
        <QueryView what="the delivery" query={query}>
          {({ delivery }) => (
            <>
              <p>
                <b>{delivery.event}</b> <StatusBadge status={delivery.status} />
              </p>
              <p className="hint">
                Queued <Moment at={delivery.createdAt} />. Mode {delivery.mode}. Id <code>{delivery.id}</code>
              </p>
              {delivery.status === 'pending' && (
                <p>
                  {delivery.attempts === 0 ? 'First' : 'Next'} attempt <Moment at={delivery.nextAttemptAt} />
                </p>
              )}
              <ReplayButton
                webhookId={webhookId}
                delivery={delivery}
                isEnabled={enabled}
                onReplayed={() => top.current?.focus()}
              />
              <Attempts log={delivery.attemptLog} made={delivery.attempts} />
              <Body body={delivery.body} />
            </>
          )}
        </QueryView>
      </Panel>
    </div>
  );
}

function Attempts({ log, made }: { log: readonly LoggedAttempt[]; made: number }) {
  return (
    <>
      <h3>Attempts</h3>
      {log.length === 0 ? (
        <p className="hint">
          {made === 0 ? 'None yet.' : 'They were made by an earlier version, which kept only the latest.'}
        </p>
      ) : (
        <ol className="rows" aria-label="Attempts, newest first">
          {log.toReversed().map(({ attempt, attemptedAt, durationMs, statusCode, error }) => (
            <li key={`${attemptedAt} ${attempt}`}>
              <p>
                <b>
                  Attempt {attempt} of {ATTEMPTS_MAX}
                </b>{' '}
                <StatusBadge status={error === null ? 'delivered' : 'failed'} /> <Moment at={attemptedAt} />
              </p>
              <p className="hint">
                {statusCode === null ? 'No answer' : `The receiver answered ${statusCode}`} after {durationMs} ms.
              </p>
              {error !== null && <p className="bad">{error}</p>}
            </li>
          ))}
        </ol>
      )}
    </>
  );
}

function Body({ body }: { body: string }) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(body);
      toast('Copied.');
    } catch {
      // Browsers have no clipboard for pages over plain http, except on this machine.
      toast('The browser does not allow copying here. Select the text and copy it with the keyboard.');
    }
  };
  return (
    <>
      <h3>Body</h3>
      <p className="hint">
        Formatted to be read. The receiver gets it on one line, and the signature covers that line.
      </p>
      <pre className="delivery-body" dir="ltr">
        {formatted(body)}
      </pre>
      <Button onPress={() => void copy()}>
        <Copy aria-hidden size={16} /> Copy the exact body
      </Button>
    </>
  );
}

function formatted(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
