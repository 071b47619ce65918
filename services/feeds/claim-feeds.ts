/** Statements that claim feeds and store what their polls gave. */
import { column, columns } from '../../entities/column-lists.ts';
import { type RowOf, statement } from '../../entities/statement.ts';

const CLAIMED = columns('feeds', [
  'id',
  'account_id',
  'profile_id',
  'mode',
  'caller',
  'surface',
  'url',
  'items_since',
  'connection_slugs',
  'target_profile_id',
  'template',
  'delivery',
  'interval_minutes',
  'created_at',
  'last_ok_at',
  'failing_since',
  'failures',
  'etag',
  'last_modified',
  'next_poll_at',
]);

export const claimFeeds = statement('claim feeds that are due', {
  parameters: { now: 'timestamptz', until: 'timestamptz', farthest: 'timestamptz', limit: 'int' },
  result: CLAIMED.types,
  sql: ({ now, until, farthest, limit }) => `
    update feeds set next_poll_at = ${until}, last_polled_at = ${now} where id in (
      select id from feeds where disabled_at is null and (next_poll_at <= ${now} or next_poll_at > ${farthest})
      order by next_poll_at, id limit ${limit} for update skip locked)
    returning ${CLAIMED.sql}`,
});

/** A feed that a worker polls; `next_poll_at` is the end of its lease. */
export type ClaimedFeed = RowOf<typeof claimFeeds>;

export const settleFeed = statement('store the outcome of a poll', {
  parameters: {
    id: 'uuid',
    leaseUntil: 'timestamptz',
    nextPollAt: 'timestamptz',
    intervalMinutes: 'int?',
    lastOkAt: 'timestamptz?',
    failingSince: 'timestamptz?',
    failures: 'int',
    lastError: 'text?',
    etag: 'text?',
    lastModified: 'text?',
    disabledAt: 'timestamptz?',
    disabledReason: column('feeds', 'disabled_reason'),
    url: 'text',
    itemsSince: 'timestamptz?',
    caller: column('feeds', 'caller'),
  },
  result: { id: 'uuid' },
  // A feed that was given another address meanwhile, also for a moment, is polled anew. A poll that was asked for meanwhile is made,
  // and an interval that was set meanwhile holds. The end of a caller disables no feed that another one has changed
  // meanwhile.
  sql: (given) => `
    update feeds set next_poll_at = least(
        ${given.nextPollAt} + coalesce(interval_minutes - ${given.intervalMinutes}, 0) * interval '1 minute',
        case when next_poll_at <> ${given.leaseUntil} then next_poll_at end), last_ok_at = ${given.lastOkAt},
      failing_since = ${given.failingSince}, failures = ${given.failures}, last_error = ${given.lastError},
      etag = ${given.etag}, last_modified = ${given.lastModified}, disabled_at = ${given.disabledAt},
      disabled_reason = ${given.disabledReason}
    where id = ${given.id} and url = ${given.url}
      and items_since is not distinct from ${given.itemsSince} and disabled_at is null
      and (${given.disabledReason} is distinct from 'ended' or caller = ${given.caller}) returning id`,
});

export const releaseFeed = statement('let a feed be polled again', {
  parameters: { id: 'uuid', leaseUntil: 'timestamptz', now: 'timestamptz' },
  sql: ({ id, leaseUntil, now }) => `
    update feeds set next_poll_at = ${now} where id = ${id} and next_poll_at = ${leaseUntil}`,
});
