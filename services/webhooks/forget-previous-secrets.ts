/** Deletes secrets of webhooks that were replaced, once deliveries are no longer signed with them. */
import { tables } from '../../entities/tables.ts';
import type { Context } from '../context.ts';

export async function forgetPreviousSecrets(context: Context): Promise<void> {
  await tables(context.db.queries)
    .updateTable('webhooks')
    .set({ previous_secret: null, previous_secret_until: null })
    .where('previous_secret_until', '<=', context.clock.now().toISOString())
    .execute();
}
