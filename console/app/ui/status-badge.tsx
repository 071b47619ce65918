/** The state of a post, a call, a delivery, a webhook, a feed, an import or a connect link, in a word and a color. */
import type { Outputs } from '../data/trpc.ts';

type Status =
  | Outputs['posts']['list']['posts'][number]['status']
  | Outputs['posts']['attempts']['attempts'][number]['state']
  | Outputs['webhooks']['deliveries']['deliveries'][number]['status']
  | Outputs['connect']['get']['connectSession']['status']
  | Outputs['imports']['list']['imports'][number]['status']
  | Outputs['imports']['get']['rows'][number]['status']
  | 'enabled'
  | 'disabled';

const TONES: Readonly<Record<Status, 'good' | 'bad' | 'wait' | 'calm'>> = {
  sent: 'good',
  accepted: 'good',
  delivered: 'good',
  connected: 'good',
  enabled: 'good',
  done: 'good',
  valid: 'good',
  created: 'good',
  failed: 'bad',
  rejected: 'bad',
  unknown: 'bad',
  unavailable: 'bad',
  dead: 'bad',
  disabled: 'bad',
  scheduled: 'wait',
  pending: 'wait',
  processing: 'wait',
  sending: 'wait',
  running: 'wait',
  draft: 'calm',
  skipped: 'calm',
  cancelled: 'calm',
  deleted: 'calm',
  expired: 'calm',
};

export function StatusBadge({ status }: { status: Status }) {
  return <span className={`badge badge-${TONES[status]}`}>{status}</span>;
}
