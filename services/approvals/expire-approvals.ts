/** Expires requests that were not decided in time. Their posts stay drafts. Safe in parallel. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { column } from '../../entities/column-lists.ts';
import { statement } from '../../entities/statement.ts';
import type { Context } from '../context.ts';
import { storeEvents } from '../events/store-events.ts';
import { approvalEvent } from './approval-event.ts';
import { APPROVAL, approvalView } from './approval-view.ts';

/** Most requests in one transaction. */
const AT_ONCE = 500;

const expireDue = statement('expire requests for approval', {
  parameters: { now: 'timestamptz' },
  result: {
    ...APPROVAL.types,
    account_id: 'uuid',
    post_id: 'uuid',
    mode: column('approvals', 'mode'),
    profile_id: 'uuid?',
    connection_slug: 'text',
    text: 'text',
  },
  sql: ({ now }) => `
    with due as (
      select id from approvals where state = 'pending' and expires_at <= ${now}
      order by expires_at limit ${AT_ONCE} for update skip locked
    ), expired as (
      update approvals a set state = 'expired', decided_at = ${now} from due where a.id = due.id returning a.*
    )
    select ${APPROVAL.list.map((name) => `e.${name}`).join(', ')}, e.account_id, e.post_id, e.mode, p.profile_id,
      p.connection_slug, p.text
    from expired e join posts p on p.id = e.post_id`,
});

/**
 * Emits post.approval_expired.
 *
 * @returns how many expired
 */
export async function expireApprovals(context: Context, signal: AbortSignal): Promise<number> {
  let total = 0;
  while (!signal.aborted) {
    const expired = await context.db.em().transactional(async (em: SqlEntityManager) => {
      const rows = await expireDue(em, { now: context.clock.now() });
      const events = rows.map((row) =>
        approvalEvent(context, 'post.approval_expired', {
          accountId: row.account_id,
          postId: row.post_id,
          profileId: row.profile_id,
          connectionSlug: row.connection_slug,
          mode: row.mode,
          text: row.text,
          approval: approvalView(row),
        }),
      );
      await storeEvents(em, events);
      return rows.length;
    });
    total += expired;
    if (expired < AT_ONCE) break;
  }
  return total;
}
