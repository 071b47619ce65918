/** Ends webhooks permanently: nothing more is delivered to them, and their queued deliveries fail. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { anyOf } from '../../entities/any-of.ts';
import { tables } from '../../entities/tables.ts';
import { adjustDeliveries } from './adjust-deliveries.ts';

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
  // `for update` waits for a delivery that is being created for one of them and prevents later ones.
  const locked = await tables(em)
    .selectFrom('webhooks')
    .select('id')
    .where('id', '=', anyOf(webhookIds))
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .forUpdate()
    .execute();
  const ids = locked.map(({ id }) => id);
  if (ids.length === 0) return 0;
  const noSecret = { secret: null, previous_secret: null, previous_secret_until: null };
  await tables(em)
    .updateTable('webhooks')
    .set((of) => ({
      deleted_at: at,
      ended_because: why,
      ...noSecret,
      lease: null,
      lease_until: null,
      revision: of('revision', '+', 1),
    }))
    .where('id', '=', anyOf(ids))
    .execute();
  await adjustDeliveries(em, ids, at);
  return ids.length;
}
