/**
 * Claims posts whose metrics are due to be read, each for one worker. A claim moves the time of the next read back by a
 * lease, and stores the end of the lease beside it. If the worker dies, the read falls due again. A worker that returns too late finds another time in the row and
 * stores nothing.
 */
import { columns } from '../../entities/column-lists.ts';
import { type RowOf, statement } from '../../entities/statement.ts';
import type { Context } from '../context.ts';
import { utcDayNumber } from '../plans/plans.ts';
import { READ_LEASE_MS } from '../plans/reads-in-progress.ts';

/** Most posts in one claim. */
export const CLAIMED_AT_ONCE = 500;

const POST = columns(
  'posts',
  [
    'id',
    'account_id',
    'profile_id',
    'connection_id',
    'connection_slug',
    'platform_id',
    'mode',
    'url',
    'platform_post_id',
    'status',
    'sent_at',
  ],
  'p',
);
const CREDENTIAL = columns('connections', ['platform_account_id', 'handle', 'credentials'], 'c');
const ACCOUNT = columns('accounts', ['plan', 'x_analytics'], 'a');
const READ = columns('metrics_reads', ['impressions', 'likes', 'reposts', 'replies', 'clicks'], 'r');

const claimDue = statement('claim posts whose metrics are due', {
  parameters: { now: 'timestamptz', lease: 'timestamptz', day: 'int' },
  result: {
    ...POST.types,
    ...CREDENTIAL.types,
    ...ACCOUNT.types,
    // Of the newest read; all are null before the first.
    ...READ.types,
    disconnected: 'boolean',
    /** Whether the platform no longer accepts the access token. */
    needs_reconnect: 'boolean',
    /** End of the pause of the connection. */
    own_pause: 'timestamptz?',
    /** End of the pause of the whole platform, for platforms where calls are shared. */
    shared_pause: 'timestamptz?',
    /** When the newest read was made; null before the first. */
    last_read_at: 'timestamptz?',
    /** Whether the fee of the UTC day of the claim is paid. */
    is_paid: 'boolean',
  },
  sql: ({ now, lease, day }) => `
    with due as (
      select id from posts where next_read_at <= ${now} order by next_read_at, id limit ${CLAIMED_AT_ONCE}
      for no key update skip locked
    ), claimed as (
      update posts p set next_read_at = ${lease}, read_lease_until = ${lease} from due where p.id = due.id returning p.*
    )
    select ${POST.sql}, ${CREDENTIAL.sql}, ${ACCOUNT.sql}, ${READ.sql},
      c.deleted_at is not null as disconnected, c.reconnect_since is not null as needs_reconnect,
      greatest(c.backoff_until, own.until) as own_pause, shared.until as shared_pause,
      r.fetched_at as last_read_at,
      exists (select 1 from charges h where h.subject_id = p.id and h.kind = 'read' and h.number = ${day}) as is_paid
    from claimed p
    join connections c on c.id = p.connection_id
    join accounts a on a.id = p.account_id
    left join lateral (select * from metrics_reads m where m.post_id = p.id order by m.number desc limit 1) r on true
    left join read_pauses own on own.batch = c.id::text
    left join read_pauses shared on shared.batch = p.platform_id
    order by p.sent_at, p.id`,
});

/** Database row of a post whose metrics this worker reads. */
export type ClaimedRead = RowOf<typeof claimDue>;

/** The posts of one claim, and the time stored in their rows until they are settled. */
export interface ReadClaim {
  readonly lease: Date;
  /** When the claim was made; it covers the reads due at that time. */
  readonly now: Date;
  readonly posts: readonly ClaimedRead[];
}

export async function claimReads(context: Context): Promise<ReadClaim> {
  const now = context.clock.now();
  const lease = new Date(now.getTime() + READ_LEASE_MS);
  return { lease, now, posts: await claimDue(context.db.em(), { now, lease, day: utcDayNumber(now) }) };
}
