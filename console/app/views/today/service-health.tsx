/** Whether the service and its workers run. */
import { useQuery } from '@tanstack/react-query';
import { type Outputs, useTRPC } from '../../data/trpc.ts';
import { CircleCheck, TriangleAlert } from '../../ui/icons.tsx';
import { ServerLink } from '../../ui/link.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/panel.tsx';
import { QueryView } from '../../ui/query-view.tsx';

type Checks = Required<Outputs['public']['health']['checks']>;

const WORKERS: readonly (readonly [Exclude<keyof Checks, 'database'>, string])[] = [
  ['scheduledPosts', 'Sending of scheduled posts'],
  ['webhookDeliveries', 'Delivery of webhooks'],
  ['xUsageSweep', 'Accounting of X fees'],
  ['backups', 'Scheduled backups'],
];

/** No event reports the health, so it is asked for. */
const ASK_EVERY_MS = 30_000;

export function ServiceHealth() {
  const query = useQuery(useTRPC().public.health.queryOptions({}, { refetchInterval: ASK_EVERY_MS }));
  return (
    <Panel title="Workers" aside={<ServerLink href="/status">Status page</ServerLink>}>
      <QueryView what="the health" query={query}>
        {({ checks }) => (
          <ul className="rows">
            <li>
              <Sign isOk={checks.database.ok} /> Database, answers in {checks.database.latencyMs} ms
            </li>
            {WORKERS.map(([name, label]) => {
              const check = checks[name];
              if (check === undefined) return null;
              return (
                <li key={name}>
                  <Sign isOk={check.ok} /> {label}
                  {check.lastOkAt !== null && (
                    <span className="hint">
                      , last success <Moment at={check.lastOkAt} />
                    </span>
                  )}
                </li>
              );
            })}
          </ul>
        )}
      </QueryView>
    </Panel>
  );
}

function Sign({ isOk }: { isOk: boolean }) {
  return isOk ? (
    <CircleCheck className="good" role="img" aria-label="Works:" size={18} />
  ) : (
    <TriangleAlert className="bad" role="img" aria-label="Does not work:" size={18} />
  );
}
