/** Ends the webhooks that were registered under keys or grants which end: nothing is delivered to them any more, and what is queued for them fails. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { query } from '../../entities/query.ts';

// A delivery that is being made holds its webhook for key share, which this lock waits for.
const LOCK = `
  select id from webhooks
  where (created_by_key_id = any($1::uuid[]) or grant_id = any($2::uuid[])) and deleted_at is null
  order by id for update`;

const END = `
  update webhooks set deleted_at = $2, secret = null, lane = null, lane_until = null where id = any($1::uuid[])`;

const FAIL_QUEUED = `
  update deliveries set status = 'failed', claim = null,
    last_error = 'The API key or the agent that registered the webhook has ended.'
  where webhook_id = any($1::uuid[]) and status in ('pending', 'processing')`;

/** Runs in the transaction in which the keys and grants end. */
export async function endWebhooksMadeBy(
  em: SqlEntityManager,
  { keyIds, grantIds }: { readonly keyIds: readonly string[]; readonly grantIds: readonly string[] },
  at: Date,
): Promise<void> {
  const rows = await query<{ id: string }>(em, LOCK, [keyIds, grantIds]);
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return;
  await query(em, END, [ids, at]);
  await query(em, FAIL_QUEUED, [ids]);
}
