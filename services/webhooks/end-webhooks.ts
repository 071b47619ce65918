/** Ends webhooks permanently: nothing more is delivered to them, and their queued deliveries fail. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { query } from '../../entities/query.ts';

// `for update` waits for a delivery that is being created for one of them and prevents later ones.
const LOCK = 'select id from webhooks where id = any($1::uuid[]) and deleted_at is null order by id for update';

const END = `
  update webhooks set deleted_at = $2, secret = null, previous_secret = null, previous_secret_until = null,
    lease = null, lease_until = null, revision = revision + 1
  where id = any($1::uuid[])`;

// An attempt in progress loses its claim, so its outcome changes nothing.
const FAIL_QUEUED = `
  update deliveries set status = 'failed', claim = null, paused = false, last_error = $2
  where webhook_id = any($1::uuid[]) and status in ('pending', 'processing')`;

/**
 * Runs in the caller's transaction, which may have locked profiles and the account but no deliveries.
 *
 * @param webhookIds webhooks that are already deleted stay as they are
 * @param why a sentence that each queued delivery shows as its last error
 * @returns how many webhooks ended
 */
export async function endWebhooks(
  em: SqlEntityManager,
  webhookIds: readonly string[],
  { at, why }: { readonly at: Date; readonly why: string },
): Promise<number> {
  const locked = await query<{ id: string }>(em, LOCK, [webhookIds]);
  const ids = locked.map(({ id }) => id);
  if (ids.length === 0) return 0;
  await query(em, END, [ids, at]);
  await query(em, FAIL_QUEUED, [ids, why]);
  return ids.length;
}
