/**
 * How long the rows of each table are kept, and the rules that remove them
 * (docs/operations.md#what-is-kept-and-for-how-long). A table without rules is kept; `kept` says why.
 */
import type { Schema } from '../../entities/tables.ts';
import { AUDIT_KEPT_DAYS } from '../audit/audit-kept-days.ts';
import { closeConnectSessions } from '../connect/close-connect-sessions.ts';
import { EVENTS_KEPT_DAYS } from '../events/event-feed.ts';
import { HISTORY_DAYS } from '../health/health-samples.ts';
import { WINDOW_SECONDS } from '../limits/rate-limiter.ts';
import { thinToDays, thinToNewest } from '../metrics/thin-reads.ts';
import { removeEndedGrants } from '../oauth/remove-ended-grants.ts';
import { removeUnusedClients } from '../oauth/remove-unused-clients.ts';
import { FORGOTTEN_AFTER_MS } from '../people/login-throttle.ts';
import { removeAhead, removeById, removeByTime } from './expired-rows.ts';
import type { RetentionRule } from '../retention-rule.ts';

const DAY_MS = 86_400_000;

interface Retention {
  /** What operators read: how long rows are kept, or why they always are. */
  readonly kept: string;
  readonly rules?: readonly RetentionRule[];
}

/** By table. A table that is missing here does not compile. */
export const RETENTIONS: Readonly<Record<keyof Schema, Retention>> = {
  posts: { kept: 'always: the history of the customer' },
  approvals: { kept: 'as long as its post' },
  approval_allowances: {
    kept: '1 day after its end',
    rules: [removeByTime({ table: 'approval_allowances', column: 'ends_at', keptMs: DAY_MS })],
  },
  stops: { kept: 'always: a row a stop' },
  policies: { kept: 'until it is removed, or as long as its key or grant' },
  attempts: { kept: 'always: the calls made for a post' },
  post_words: { kept: 'as long as its post' },
  post_tags: { kept: 'as long as its post' },
  post_media: { kept: 'as long as its post' },
  metrics_reads: {
    kept: 'all for 35 days after sending, then the last of each day, after 365 days the newest',
    rules: [thinToDays, thinToNewest],
  },
  daily_numbers: { kept: 'always: the analytics of past years' },
  charges: { kept: 'always: the usage ledger' },
  events: {
    kept: `${EVENTS_KEPT_DAYS} days`,
    rules: [
      removeById({
        table: 'events',
        keptMs: EVENTS_KEPT_DAYS * DAY_MS,
        condition: (before) => `t.created_at < ${before} and t.fanned_out_at is not null`,
      }),
    ],
  },
  deliveries: {
    kept: '30 days, dead ones from the day they died',
    rules: [
      removeById({
        table: 'deliveries',
        keptMs: 30 * DAY_MS,
        // A delivery that waits for a disabled webhook is removed too. One that was paused during its last attempt has died since.
        condition: (before) =>
          `(t.status in ('delivered', 'failed') or (t.status = 'dead' and t.dead_at < ${before})
            or (t.paused and t.status in ('pending', 'processing')))`,
      }),
    ],
  },
  idempotency_records: {
    kept: '24 hours, and until the posts of a request that was interrupted are settled',
    rules: [
      removeByTime({
        table: 'idempotency_records',
        column: 'expires_at',
        keptMs: 0,
        condition: `(t.completed_at is not null or not exists (
          select 1 from posts p where p.idempotency_record_id = t.id and p.status = 'processing'))`,
      }),
    ],
  },
  audit_entries: {
    kept: `${AUDIT_KEPT_DAYS} days`,
    rules: [
      removeById({
        table: 'audit_entries',
        keptMs: AUDIT_KEPT_DAYS * DAY_MS,
        condition: (before) => `t.at < ${before}`,
      }),
    ],
  },
  media: { kept: 'as long as a post names it, else 7 days; the bytes a day after the last attempt' },
  sandbox_posts: { kept: 'always: what the sandbox, as a platform, shows' },
  read_pauses: {
    kept: 'a day after its end',
    // Kept for a while, because the next failure extends the pause.
    rules: [removeByTime({ table: 'read_pauses', column: 'until', keptMs: DAY_MS })],
  },
  health_samples: {
    kept: `${HISTORY_DAYS} days, and the very first one`,
    rules: [
      removeByTime({
        table: 'health_samples',
        column: 'minute',
        // The sample of exactly 90 days ago is still shown.
        keptMs: HISTORY_DAYS * DAY_MS + 1,
        // Minutes without a sample count as degraded from the first one on.
        condition: 't.minute > (select min(minute) from health_samples)',
      }),
    ],
  },
  connect_sessions: {
    kept: '30 days after its end',
    rules: [
      closeConnectSessions,
      removeById({
        table: 'connect_sessions',
        keptMs: 30 * DAY_MS,
        condition: (before) => `t.status <> 'pending' and t.expires_at <= ${before}`,
      }),
    ],
  },
  oauth_artifacts: {
    kept: 'until it expires; a client as long as a grant names it',
    rules: [
      removeByTime({
        table: 'oauth_artifacts',
        column: 'expires_at',
        keptMs: 0,
        condition: `t.kind not in ('Client', 'Grant')`,
      }),
      removeUnusedClients,
    ],
  },
  oauth_grants: { kept: '30 days after its revocation, 90 days after its last use', rules: [removeEndedGrants] },
  oauth_keys: { kept: 'a day after the next key replaced it' },
  sign_ins: {
    kept: 'until it expires: 14 days after its last use, at most 90 days',
    rules: [removeByTime({ table: 'sign_ins', column: 'expires_at', keptMs: 0 })],
  },
  sign_in_waits: {
    kept: 'a day after the last attempt',
    rules: [removeByTime({ table: 'sign_in_waits', column: 'last_tried_at', keptMs: FORGOTTEN_AFTER_MS })],
  },
  used_challenges: {
    kept: 'until it expires: 5 minutes',
    rules: [removeByTime({ table: 'used_challenges', column: 'expires_at', keptMs: 0 })],
  },
  owner_links: {
    kept: 'until it is used or expires',
    rules: [removeByTime({ table: 'owner_links', column: 'expires_at', keptMs: 0 })],
  },
  owner_notices: {
    kept: '30 days, sent or not',
    rules: [
      removeById({
        table: 'owner_notices',
        keptMs: 30 * DAY_MS,
        condition: (before) => `t.created_at < ${before}`,
      }),
    ],
  },
  rate_limit_hits: {
    kept: 'a minute',
    rules: keepWindow('rate_limit_hits', 'at'),
  },
  rate_limit_buckets: {
    kept: 'a minute after the last request',
    rules: keepWindow('rate_limit_buckets', 'last_at'),
  },
  accounts: { kept: 'always: one row an account' },
  owners: { kept: 'until the person is removed; also whether, when and in which zone they get the weekly digest' },
  passkeys: { kept: 'until it is removed' },
  profiles: { kept: 'always: posts and the audit name it, also once it is deleted' },
  api_keys: { kept: 'always: the audit names it, also once it is revoked' },
  connections: { kept: 'always: posts name it; a deleted one has no credentials' },
  webhooks: { kept: 'always: deliveries name it; a deleted one has no secret' },
  calendars: { kept: 'until it is revoked, or ends with its key, agent, person or profile' },
  imports: {
    kept: '30 days after it began, unless it is running',
    rules: [
      removeById({
        table: 'imports',
        keptMs: 30 * DAY_MS,
        condition: (before) => `t.created_at < ${before} and t.status <> 'running'`,
      }),
    ],
  },
  import_rows: { kept: 'as long as its import' },
  feeds: { kept: 'until it is deleted' },
  feed_items: { kept: 'as long as its feed, so that no item becomes a post twice' },
  platform_apps: { kept: 'always: one row a server of a federated platform' },
  worker_states: { kept: 'always: one row a loop' },
  database_marks: { kept: 'always: one row' },
};

/** Removes the rows that no window of requests reaches, before and after now. */
function keepWindow(table: keyof Schema, column: string): RetentionRule[] {
  const ms = WINDOW_SECONDS * 1000;
  return [removeByTime({ table, column, keptMs: ms }), removeAhead({ table, column, aheadMs: ms })];
}
