/**
 * Disables webhooks whose attempts have all failed for three days. Notifies the account's other webhooks and its owners
 * (docs/contract/webhooks.md#turned-off-after-failures).
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { query } from '../../entities/query.ts';
import type { Context } from '../context.ts';
import { storeEvents } from '../events/store-events.ts';
import { disabledEvent } from '../events/webhook-event.ts';
import { storeOwnerNotices } from '../people/store-owner-notices.ts';
import { disabledNotice } from './disabled-notice.ts';
import { pauseDeliveries } from './pause-deliveries.ts';

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

/** A webhook that was just disabled. */
export interface DisabledWebhook {
  id: string;
  account_id: string;
  profile_id: string | null;
  mode: 'live' | 'test';
  url: string;
  description: string | null;
  failing_since: string;
}

const IS_DUE = `${FAILS_FOR_LONG} and w.failing_since <= $1`;
const FIND = `select 1 from webhooks w where ${IS_DUE} limit 1`;

// `for update` waits for an event that is being fanned out to the webhook, so its delivery is paused too.
const DISABLE = `
  update webhooks set disabled_at = $2, disabled_reason = 'failing', revision = revision + 1 where id in (
    select w.id from webhooks w where ${IS_DUE} order by w.failing_since, w.id limit ${AT_ONCE} for update skip locked)
  returning id, account_id, profile_id, mode, url, description, failing_since`;

/** @returns how many webhooks were disabled */
export async function disableFailing(context: Context): Promise<number> {
  const now = context.clock.now();
  const latest = new Date(now.getTime() - DISABLE_AFTER_MS);
  const [due] = await query(context.db.em(), FIND, [latest]);
  if (due === undefined) return 0;
  return context.db.em().transactional(async (em: SqlEntityManager) => {
    const webhooks = await query<DisabledWebhook>(em, DISABLE, [latest, now]);
    const ids = webhooks.map(({ id }) => id);
    await pauseDeliveries(em, ids);
    await storeEvents(
      em,
      webhooks.map((webhook) => disabledEvent(context, webhook, now)),
    );
    for (const webhook of webhooks) {
      await storeOwnerNotices(context, em, webhook.account_id, disabledNotice(context, webhook));
    }
    return webhooks.length;
  });
}
