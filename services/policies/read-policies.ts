/** Reads policies, with how many posts went out under each. */
import { anyOf } from '../../entities/any-of.ts';
import type { PolicyKind, PolicyRules } from '../../entities/policy.ts';
import { columns } from '../../entities/column-lists.ts';
import { type RowOf, statement } from '../../entities/statement.ts';
import { tables } from '../../entities/tables.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Caller } from '../access/caller.ts';
import type { Identity } from '../access/identity.ts';
import { isSupervised } from '../access/limits.ts';
import type { Context } from '../context.ts';
import { type CursorPage, type Page, pageOf } from '../paging.ts';
import { timestamp } from '../timestamp.ts';
import { isFollowed } from './policy-members.ts';
import { countedAs, countsAs, POST_AT, POST_GOES_OUT } from './posts-under.ts';

export interface PolicyView {
  /** Id of the key or grant. */
  policyId: string;
  kind: PolicyKind;
  /** Name of the key or agent; null when it is gone. */
  name: string | null;
  rules: PolicyRules;
  /** Connections of the rules that were disconnected since: nothing can be posted to them. */
  disconnected: { id: string; slug: string }[];
  /** Posts that went out under it in the last 60 minutes and 24 hours. */
  postsLastHour: number;
  postsLastDay: number;
  changedAt: string;
  changedBy: Identity;
}

const HOUR_MS = 3_600_000;

const POLICY = columns(
  'policies',
  ['id', 'kind', 'rules', 'changed_at', 'changed_by_kind', 'changed_by_id', 'changed_by_name'],
  'y',
);

const COUNTED = countedAs('y');

const countSince = (since: string, now: string) => `
  (select count(*)::int from posts p
    where p.policy_id = any(${COUNTED} || array(select o.id from policies o where ${countsAs('o', COUNTED)}))
      and ${POST_AT} > ${since} and ${POST_AT} <= ${now} and ${POST_GOES_OUT})`;

const selectPolicies = statement('read policies', {
  parameters: {
    accountId: 'uuid',
    mode: 'text',
    only: 'uuid?',
    cursor: 'uuid?',
    most: 'int',
    now: 'timestamptz',
    hourAgo: 'timestamptz',
    dayAgo: 'timestamptz',
  },
  result: { ...POLICY.types, name: 'text?', last_hour: 'int', last_day: 'int' },
  sql: ({ accountId, mode, only, cursor, most, now, hourAgo, dayAgo }) => `
    select ${POLICY.sql}, coalesce(k.name, g.client_name) as name, ${countSince(hourAgo, now)} as last_hour,
      ${countSince(dayAgo, now)} as last_day
    from policies y left join api_keys k on k.id = y.id left join oauth_grants g on g.id = y.id
    where y.account_id = ${accountId} and (coalesce(k.revoked_at, g.revoked_at) is null or ${isFollowed('y.id')})
      and (${mode} = 'live' or coalesce(k.type, g.mode) = 'test')
      and (${only} is null or y.id = ${only}) and (${cursor} is null or y.id < ${cursor})
    order by y.id desc limit ${most}`,
});

/** Newest key or grant first. A caller that follows a policy, or reaches one profile, sees its own policy. */
export async function listPolicies(
  context: Context,
  caller: Caller,
  { limit, cursor = null }: { limit: CursorPage['limit']; cursor?: string | undefined | null },
): Promise<Page<PolicyView>> {
  const isOwnOnly = isSupervised(caller) || caller.profileId !== null;
  const only = isOwnOnly ? (caller.policyId ?? caller.keyId) : null;
  // Its own policy may be that of a live key, which has created it.
  const mode = isOwnOnly ? 'live' : caller.mode;
  const rows = await select(context, caller, { mode, only, cursor, most: limit + 1 });
  const { items, nextCursor } = pageOf(rows, limit);
  const disconnected = await disconnectedOf(context, caller, items);
  return { items: items.map((row) => policyView(row, disconnected)), nextCursor };
}

/** @throws ServiceError not_found */
export async function readPolicy(context: Context, caller: Caller, policyId: string): Promise<PolicyView> {
  const [row] = await select(context, caller, { mode: caller.mode, only: policyId, cursor: null, most: 1 });
  if (row === undefined) throw noPolicy(policyId);
  const disconnected = await disconnectedOf(context, caller, [row]);
  return policyView(row, disconnected);
}

/** The error for the id of a key or agent without a policy that the caller reaches. */
export function noPolicy(policyId: string): ServiceError {
  return new ServiceError('not_found', `No key or agent of yours with the id ${policyId} has a policy.`);
}

interface Selection {
  readonly mode: Caller['mode'];
  readonly only: string | null;
  readonly cursor: string | null;
  readonly most: number;
}

function select({ db, clock }: Context, { accountId }: Caller, page: Selection) {
  const now = clock.now();
  const hourAgo = new Date(+now - HOUR_MS);
  return selectPolicies(db.queries, { accountId, now, hourAgo, dayAgo: new Date(+now - 24 * HOUR_MS), ...page });
}

/** The connections that policies name and that were disconnected since. */
async function disconnectedOf(
  { db }: Context,
  { accountId }: Caller,
  rows: readonly RowOf<typeof selectPolicies>[],
): Promise<PolicyView['disconnected']> {
  const ids = [...new Set(rows.flatMap(({ rules }) => rules.connectionIds ?? []))];
  if (ids.length === 0) return [];
  return tables(db.queries)
    .selectFrom('connections')
    .select(['id', 'slug'])
    .where('account_id', '=', accountId)
    .where('id', '=', anyOf(ids))
    .where('deleted_at', 'is not', null)
    .orderBy('id')
    .execute();
}

function policyView(row: RowOf<typeof selectPolicies>, disconnected: PolicyView['disconnected']): PolicyView {
  return {
    policyId: row.id,
    kind: row.kind,
    name: row.name,
    rules: rulesInOrder(row.rules),
    disconnected: disconnected.filter(({ id }) => row.rules.connectionIds?.includes(id) === true),
    postsLastHour: row.last_hour,
    postsLastDay: row.last_day,
    changedAt: timestamp(row.changed_at),
    changedBy: { kind: row.changed_by_kind, id: row.changed_by_id, name: row.changed_by_name },
  };
}

/** PostgreSQL does not keep the order of fields in JSON. */
function rulesInOrder(rules: PolicyRules): PolicyRules {
  const { connectionIds, platforms, postsPerHour, postsPerDay, quietHours, spendCentsPerMonth } = rules;
  const { approvalAlways, approvalWords, approvalLinks, linkHosts } = rules;
  return {
    connectionIds,
    platforms,
    postsPerHour,
    postsPerDay,
    quietHours:
      quietHours === null ? null : { from: quietHours.from, to: quietHours.to, timezone: quietHours.timezone },
    spendCentsPerMonth,
    approvalAlways,
    approvalWords,
    approvalLinks,
    linkHosts,
  };
}
