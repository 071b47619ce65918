/** Ends the webhooks that were registered under keys or grants that end. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { anyOf } from '../../entities/any-of.ts';
import { tables } from '../../entities/tables.ts';
import { endWebhooks } from './end-webhooks.ts';

/** Runs in the transaction that ends the keys and grants. Their locked rows prevent new webhooks under them. */
export async function endWebhooksMadeBy(
  em: SqlEntityManager,
  { keyIds, grantIds }: { readonly keyIds: readonly string[]; readonly grantIds: readonly string[] },
  at: Date,
): Promise<void> {
  // Locked by their makers: one whose address somebody else changes meanwhile is theirs then, and stays.
  const rows = await tables(em)
    .selectFrom('webhooks')
    .select('id')
    .where('deleted_at', 'is', null)
    .where((of) => of.or([of('created_by_key_id', '=', anyOf(keyIds)), of('grant_id', '=', anyOf(grantIds))]))
    .orderBy('id')
    .forUpdate()
    .execute();
  const ids = rows.map(({ id }) => id);
  await endWebhooks(em, ids, { at, why: 'The API key or the agent that registered the webhook has ended.' });
}
