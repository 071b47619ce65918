/**
 * Counts what each key and agent of an account did in a week, with live posts. Each statement reads the rows of that week,
 * along an index, and returns one row for each combination that it counts.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { column } from '../../entities/column-lists.ts';
import { type RowOf, statement } from '../../entities/statement.ts';
import { earliestId } from '../ids.ts';
import type { DigestWeek } from './digest-week.ts';

/** Most counts of each kind: those of the busiest come first. */
const COUNTS_MAX = 2_000;

const DAY_MS = 86_400_000;

const WEEK = { accountId: 'uuid', after: 'uuid', before: 'uuid' } as const;

/** Who acted: the id of a key or grant. */
const ACTOR = { kind: column('approvals', 'requested_by_kind'), id: 'uuid' } as const;

// Ids are in time order, so the range of ids is the range of time.
const countCreated = statement('count the posts that keys and agents created in a week', {
  parameters: WEEK,
  result: { ...ACTOR, platform_id: 'text', count: 'int' },
  sql: ({ accountId, after, before }) => `
    select p.created_by_kind as kind, p.created_by_id as id, p.platform_id::text as platform_id, count(*)::int as count
    from posts p
    where p.account_id = ${accountId} and p.id >= ${after} and p.id < ${before}
      and p.mode = 'live' and p.created_by_kind in ('key', 'grant')
    group by 1, 2, 3 order by count desc, 2, 3 limit ${COUNTS_MAX}`,
});

// A join of the two tables would read all posts of the install. OFFSET 0 keeps it a lookup for each event.
const countOutcomes = statement('count the posts of keys and agents that were sent or failed in a week', {
  parameters: WEEK,
  result: { ...ACTOR, platform_id: 'text', name: column('events', 'name'), count: 'int' },
  sql: ({ accountId, after, before }) => `
    select p.kind, p.id, p.platform_id, e.name, count(*)::int as count
    from (
      select distinct subject_id, name from events
      where account_id = ${accountId} and id >= ${after} and id < ${before}
        and mode = 'live' and name in ('post.sent', 'post.failed')
    ) e
    cross join lateral (
      select created_by_kind as kind, created_by_id as id, platform_id::text as platform_id from posts
      where id = e.subject_id and account_id = ${accountId} and created_by_kind in ('key', 'grant') offset 0
    ) p
    group by 1, 2, 3, 4 order by count desc, 2, 3, 4 limit ${COUNTS_MAX}`,
});

const countApprovals = statement('count the decisions about requests of keys and agents in a week', {
  parameters: { accountId: 'uuid', since: 'uuid', from: 'timestamptz', to: 'timestamptz' },
  result: { ...ACTOR, state: column('approvals', 'state'), count: 'int' },
  sql: ({ accountId, since, from, to }) => `
    select a.requested_by_kind as kind, a.requested_by_id as id, a.state, count(*)::int as count
    from approvals a
    where a.account_id = ${accountId} and a.id >= ${since} and a.mode = 'live' and a.requested_by_kind in ('key', 'grant')
      and (a.state = 'pending' or (a.decided_at >= ${from} and a.decided_at < ${to}))
    group by 1, 2, 3 order by count desc, 2, 3 limit ${COUNTS_MAX}`,
});

const countChanges = statement('count the other changes by keys and agents in a week', {
  parameters: WEEK,
  result: {
    kind: column('audit_entries', 'actor_kind'),
    id: 'text',
    name: 'text',
    operation: 'text',
    count: 'int',
  },
  sql: ({ accountId, after, before }) => `
    select a.actor_kind as kind, a.actor_id as id, max(a.actor_name) as name, a.operation, count(*)::int as count
    from audit_entries a
    where a.account_id = ${accountId} and a.id >= ${after} and a.id < ${before}
      and a.mode = 'live' and a.outcome = 'ok' and a.actor_kind in ('key', 'oauth_client')
      and a.operation not in ('posts.create', 'posts.createSimple')
    group by 1, 2, 4 order by count desc, 2, 4 limit ${COUNTS_MAX}`,
});

export interface Activity {
  readonly created: readonly RowOf<typeof countCreated>[];
  readonly outcomes: readonly RowOf<typeof countOutcomes>[];
  /** What was decided in the week, and what waits now. */
  readonly approvals: readonly RowOf<typeof countApprovals>[];
  /** Successful changes but the creation of posts, by operation. The actor of an agent is its client. */
  readonly changes: readonly RowOf<typeof countChanges>[];
}

/** @param approvalDays for how long a request can wait */
export async function readActivity(
  em: SqlEntityManager,
  accountId: string,
  { from, to }: DigestWeek,
  approvalDays: number,
): Promise<Activity> {
  const week = { accountId, after: earliestId(from), before: earliestId(to) };
  const since = earliestId(new Date(from.getTime() - approvalDays * DAY_MS));
  return {
    created: await countCreated(em, week),
    outcomes: await countOutcomes(em, week),
    approvals: await countApprovals(em, { accountId, since, from, to }),
    changes: await countChanges(em, week),
  };
}
