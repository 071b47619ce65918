/** Ends the webhooks that were registered under keys or grants that end. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { query } from '../../entities/query.ts';
import { endWebhooks } from './end-webhooks.ts';

const FIND = `
  select id from webhooks
  where (created_by_key_id = any($1::uuid[]) or grant_id = any($2::uuid[])) and deleted_at is null`;

/** Runs in the transaction that ends the keys and grants. Their locked rows prevent new webhooks under them. */
export async function endWebhooksMadeBy(
  em: SqlEntityManager,
  { keyIds, grantIds }: { readonly keyIds: readonly string[]; readonly grantIds: readonly string[] },
  at: Date,
): Promise<void> {
  const rows = await query<{ id: string }>(em, FIND, [keyIds, grantIds]);
  const ids = rows.map(({ id }) => id);
  await endWebhooks(em, ids, { at, why: 'The API key or the agent that registered the webhook has ended.' });
}
