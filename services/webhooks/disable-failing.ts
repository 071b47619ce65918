/**
 * Disables webhooks whose attempts have all failed for three days. Notifies the account's other webhooks and its owners
 * (docs/contract/webhooks.md#turned-off-after-failures).
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { statement } from '../../entities/statement.ts';
import type { Context } from '../context.ts';
import { storeEvents } from '../events/store-events.ts';
import { storeOwnerNotices } from '../notices/store-owner-notices.ts';
import { adjustDeliveries } from './adjust-deliveries.ts';
import { DISABLED, disabledEvent, disabledNotice } from './disabled-webhook.ts';

const DAY_MS = 86_400_000;

/** A webhook is disabled this long after its first failed attempt, if none succeeded since. */
export const DISABLE_AFTER_MS = 3 * DAY_MS;

/**
 * SQL condition: whether a webhook `w` is disabled once its time has come. The failures must span half a day: a webhook
 * that failed once before Carillon itself was down for days is tried again first.
 */
export const FAILS_FOR_LONG = `w.failing_since is not null and w.disabled_at is null and w.deleted_at is null
  and w.last_failed_at >= w.failing_since + interval '12 hours'`;

/** Most webhooks in one transaction. */
const AT_ONCE = 50;

const isDue = (latest: string) => `${FAILS_FOR_LONG} and w.failing_since <= ${latest}`;

const findFailing = statement('find a webhook that has failed for long', {
  parameters: { latest: 'timestamptz' },
  result: { found: 'int' },
  sql: ({ latest }) => `select 1 as found from webhooks w where ${isDue(latest)} limit 1`,
});

// `for update` waits for an event that is being fanned out to the webhook, so its delivery is paused too.
const disable = statement('disable webhooks that have failed for long', {
  parameters: { latest: 'timestamptz', now: 'timestamptz' },
  result: { ...DISABLED.types, failing_since: 'timestamptz' },
  sql: ({ latest, now }) => `
    update webhooks set disabled_at = ${now}, disabled_reason = 'failing', revision = revision + 1 where id in (
      select w.id from webhooks w where ${isDue(latest)}
      order by w.failing_since, w.id limit ${AT_ONCE} for update skip locked)
    returning ${DISABLED.sql}`,
});

/** @returns how many webhooks were disabled */
export async function disableFailing(context: Context): Promise<number> {
  const now = context.clock.now();
  const latest = new Date(now.getTime() - DISABLE_AFTER_MS);
  const [due] = await findFailing(context.db.em(), { latest });
  if (due === undefined) return 0;
  const disabled = await context.db.em().transactional(async (em: SqlEntityManager) => {
    const webhooks = await disable(em, { latest, now });
    const ids = webhooks.map(({ id }) => id);
    await adjustDeliveries(em, ids, now);
    await storeEvents(
      em,
      webhooks.map((webhook) => disabledEvent(context, webhook, now)),
    );
    for (const webhook of webhooks) {
      await storeOwnerNotices(context, em, webhook.account_id, disabledNotice(context, webhook));
    }
    return webhooks.length;
  });
  context.counters.countDisabledWebhooks(disabled);
  return disabled;
}
