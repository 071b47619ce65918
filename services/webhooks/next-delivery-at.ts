/**
 * The next instant with work for webhooks: an event to fan out, a due attempt, a lease whose process died, a webhook to
 * disable, or deliveries to adjust to the state of theirs.
 */
import { statement } from '../../entities/statement.ts';
import type { Context } from '../context.ts';
import { OPEN, WAITING_WEBHOOKS } from './claim-webhook-leases.ts';
import { DISABLE_AFTER_MS, FAILS_FOR_LONG } from './disable-failing.ts';

/** Pending deliveries that are read one by one. When all of them are of busy webhooks, each other webhook is asked instead. */
const LOOKED_AT = 200;

// A webhook in progress may have a long backlog, whose deliveries are all due before those of others.
const findNext = statement('find the next instant with work for webhooks', {
  parameters: { disableAfterMs: 'int', busy: 'uuid[]' },
  result: { at: 'float8?' },
  sql: ({ disableAfterMs, busy }) => `
    select (extract(epoch from least(
      (select created_at from events where fanned_out_at is null order by id limit 1),
      coalesce(
        (select min(d.next_attempt_at) from (select webhook_id, next_attempt_at from deliveries
          where status = 'pending' and not paused order by next_attempt_at limit ${LOOKED_AT}) d
          where d.webhook_id <> all(${busy})),
        (with recursive ${WAITING_WEBHOOKS} select min(d.next_attempt_at) from waiting v
          cross join lateral (select d.next_attempt_at from deliveries d where d.webhook_id = v.id and ${OPEN}
            and d.status = 'pending' order by d.next_attempt_at limit 1) d
          where v.id <> all(${busy}))),
      (select min(w.lease_until) from webhooks w where w.lease_until is not null and w.disabled_at is null and w.id <> all(${busy}) and exists (
        select 1 from deliveries d where d.webhook_id = w.id and d.status = 'processing' and not d.paused)),
      (select min(w.failing_since) + ${disableAfterMs} * interval '1 millisecond' from webhooks w where ${FAILS_FOR_LONG}),
      (select min(adjusting_at) from webhooks where adjusting_at is not null)
    )) * 1000)::float8 as at`,
});

/** @param busy ids of webhooks to leave out, because this process delivers to them at the moment */
export async function nextDeliveryAt(context: Context, busy: string[] = []): Promise<Date | null> {
  const [next] = await findNext(context.db.em(), { disableAfterMs: DISABLE_AFTER_MS, busy });
  return next?.at == null ? null : new Date(next.at);
}
