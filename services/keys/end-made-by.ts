/**
 * Revokes the keys that were created under ended keys or grants, the keys created under those in turn, and the webhooks
 * and calendars of all of them (docs/decisions/0062-inherit-the-limits-of-a-key-or-grant.md).
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { column } from '../../entities/column-lists.ts';
import { statement } from '../../entities/statement.ts';
import { voidAskedBy } from '../approvals/settle-approval.ts';
import { revokeCalendarsMadeBy } from '../calendars/revoke-calendar.ts';
import { endWebhooksMadeBy } from '../webhooks/end-webhooks-made-by.ts';

/** The keys and grants that end. */
export interface EndedMakers {
  readonly keyIds: readonly string[];
  readonly grantIds: readonly string[];
  /** Grants that stay with fewer scopes: their keys and webhooks end, and their requests for approval and calendars stay. */
  readonly limitedGrantIds?: readonly string[];
}

// Locks keys in the order of their ids, as where a profile is deleted, so that the two cannot deadlock.
const revokeMadeBy = statement('revoke the keys that were made under keys or grants', {
  parameters: { keyIds: 'uuid[]', grantIds: 'uuid[]', at: 'timestamptz' },
  result: { id: column('api_keys', 'id') },
  sql: ({ keyIds, grantIds, at }) => `
    with made as (
      select id from api_keys
      where (created_by_key_id = any(${keyIds}) or grant_id = any(${grantIds})) and revoked_at is null
      order by id for update
    )
    update api_keys k set revoked_at = ${at} from made m where k.id = m.id returning k.id`,
});

/**
 * Runs in the transaction in which the makers end, after their rows are locked. A key that is created concurrently
 * locks its maker's row (holdMaker), so it is either found here or refused there.
 */
export async function endMadeBy(em: SqlEntityManager, ended: EndedMakers, at: Date): Promise<void> {
  const keyIds = [...ended.keyIds];
  const grantIds = [...ended.grantIds, ...(ended.limitedGrantIds ?? [])];
  let latest = { keyIds: ended.keyIds, grantIds: grantIds as readonly string[] };
  // One level at a time: once a level is locked, no key or webhook is created under it.
  while (latest.keyIds.length + latest.grantIds.length > 0) {
    const revoked = await revokeMadeBy(em, { ...latest, at });
    latest = { keyIds: revoked.map(({ id }) => id), grantIds: [] };
    keyIds.push(...latest.keyIds);
  }
  await voidAskedBy(em, [...keyIds, ...ended.grantIds], at);
  await endWebhooksMadeBy(em, { keyIds, grantIds }, at);
  await revokeCalendarsMadeBy(em, { keyIds, grantIds: ended.grantIds });
}
