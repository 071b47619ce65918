/** Whether a webhook is enabled and, if not, why and since when. */
import { Moment } from '../../ui/moment.tsx';
import type { Webhook } from './event-names.ts';

const REASONS: Readonly<Record<NonNullable<Webhook['disabledReason']>, string>> = {
  requested: 'A person or a program disabled it.',
  failing: 'Every attempt failed for three days. Check the address and its server, then enable it again.',
};

export function DisabledBecause({ webhook: { disabledAt, disabledReason } }: { webhook: Webhook }) {
  if (disabledAt === null || disabledReason === null) return null;
  return (
    <p className="hint">
      Disabled <Moment at={disabledAt} />. {REASONS[disabledReason]} Deliveries that wait are kept, and new events are
      not stored for it.
    </p>
  );
}
