/**
 * Ends the keys that were made under keys or grants which end, the keys made under those in turn, and the webhooks of
 * all of them (decision 0068).
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { query } from '../../entities/query.ts';
import { endWebhooksMadeBy } from '../webhooks/end-webhooks-made-by.ts';

/** What ends. */
export interface EndedMakers {
  readonly keyIds: readonly string[];
  readonly grantIds: readonly string[];
}

const REVOKE = `
  update api_keys set revoked_at = $3
  where (created_by_key_id = any($1::uuid[]) or grant_id = any($2::uuid[])) and revoked_at is null returning id`;

/**
 * Runs in the transaction in which the makers end, after their rows are locked: what is made under one at the same time
 * holds its row (holdMaker), and so is found here or refused there.
 */
export async function endMadeBy(em: SqlEntityManager, ended: EndedMakers, at: Date): Promise<void> {
  const keyIds = [...ended.keyIds];
  let latest = ended;
  // A level at a time: once a level is locked, nothing more is made under it.
  while (latest.keyIds.length + latest.grantIds.length > 0) {
    const revoked = await query<{ id: string }>(em, REVOKE, [latest.keyIds, latest.grantIds, at]);
    latest = { keyIds: revoked.map(({ id }) => id), grantIds: [] };
    keyIds.push(...latest.keyIds);
  }
  await endWebhooksMadeBy(em, { keyIds, grantIds: ended.grantIds }, at);
}
