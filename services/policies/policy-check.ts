/**
 * Checks posts against the policy of their caller, in the transaction that stores them. The row of the policy is locked, with
 * those whose posts count together with its own, so that two requests cannot both take the last post of an hour
 * (docs/contract/policies.md).
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { columns } from '../../entities/column-lists.ts';
import type { PolicyRules } from '../../entities/policy.ts';
import { type Queries, statement } from '../../entities/statement.ts';
import type { ItemError } from '../../errors/item-error.ts';
import type { Caller } from '../access/caller.ts';
import { holdMaker } from '../access/maker.ts';
import type { Context } from '../context.ts';
import { feeOf, platformsWithFees } from '../plans/fees.ts';
import { monthStart } from '../plans/plans.ts';
import { countedAs, countsAs, POST_AT, POST_GOES_OUT } from './posts-under.ts';
import { addFee, countPost, type PolicyUsage } from './policy-usage.ts';
import type { PolicyPost } from './policy-post.ts';
import { contentViolations, timeViolations, type Violation } from './policy-violations.ts';

export interface PolicyCheck {
  /** Null when there is no policy. */
  readonly policyId: string | null;
  /** The rules that a post breaks, whenever it goes out. */
  readonly ofContent: (post: PolicyPost) => Violation[];
  /** The rules that keep a post from going out at a time. */
  readonly atTime: (post: PolicyPost, at: Date) => Violation[];
  /** Counts a post that goes out, for the next ones. */
  readonly count: (post: PolicyPost, at: Date) => void;
}

/** When the posts go out that are checked, and the post that is moved or sent again. */
export interface PolicyQuestion {
  readonly from: Date;
  readonly until: Date;
  readonly exceptPostId?: string;
}

/** The check of a caller without a policy, and of a draft. */
export const NO_POLICY: PolicyCheck = {
  policyId: null,
  ofContent: () => [],
  atTime: () => [],
  count: () => undefined,
};

const DAY_MS = 86_400_000;

const POLICY = columns('policies', ['id', 'rules', 'kind', 'counts_with'], 'y');

// In the order of their ids, so that two requests cannot deadlock.
const policyStatement = (name: string, lock: string) =>
  statement(name, {
    parameters: { policyId: 'uuid', accountId: 'uuid' },
    result: POLICY.types,
    sql: ({ policyId, accountId }) => `
      select ${POLICY.sql} from policies y
      where y.account_id = ${accountId}
        and ${countsAs('y', `(select ${countedAs('o')} from policies o where o.id = ${policyId})`)}
      order by y.id ${lock}`,
  });

const readPolicies = policyStatement('read a policy', '');
const lockPolicies = policyStatement('lock a policy', 'for no key update');

const readFollowed = statement('read which policy a key or grant follows', {
  parameters: { id: 'uuid', accountId: 'uuid' },
  result: { policy_id: 'uuid?' },
  sql: ({ id, accountId }) => `
    select k.policy_id from api_keys k where k.id = ${id} and k.account_id = ${accountId}
    union all
    select g.policy_id from oauth_grants g where g.id = ${id} and g.account_id = ${accountId}`,
});

const readTimes = statement('read when the posts under a policy go out', {
  parameters: { policyIds: 'uuid[]', from: 'timestamptz', until: 'timestamptz', except: 'uuid?' },
  result: { at: 'timestamptz' },
  sql: ({ policyIds, from, until, except }) => `
    select ${POST_AT} as at from posts p
    where p.policy_id = any(${policyIds}) and ${POST_AT} > ${from} and ${POST_AT} < ${until} and ${POST_GOES_OUT}
      and (${except} is null or p.id <> ${except})
    order by 1`,
});

const readFees = statement('read what the posts under a policy cost', {
  parameters: { policyIds: 'uuid[]', from: 'timestamptz', platforms: 'text[]', except: 'uuid?' },
  result: { at: 'timestamptz', platform_id: 'text', status: 'text', text: 'text', fee_cents: 'int' },
  sql: ({ policyIds, from, platforms, except }) => `
    select ${POST_AT} as at, p.platform_id, p.status, p.text, p.fee_cents from posts p
    where p.policy_id = any(${policyIds}) and ${POST_AT} >= ${from} and ${POST_GOES_OUT} and p.mode = 'live'
      and p.platform_id = any(${platforms}) and (${except} is null or p.id <> ${except})`,
});

/**
 * Locks the policy of the caller until the transaction ends. Call it before other rows are locked.
 *
 * @throws ServiceError unauthorized when the policy has just ended with the caller's key or grant
 */
export async function holdPolicy(
  context: Context,
  em: SqlEntityManager,
  caller: Caller,
  question: PolicyQuestion,
): Promise<PolicyCheck> {
  const check = await open(context, em, lockPolicies, caller, question);
  // A policy that was removed alone no longer limits the post. One that ended with its key or grant leaves no one who may post.
  if (check === null) await holdMaker(em, caller);
  return check ?? NO_POLICY;
}

/** As {@link holdPolicy}, without a lock: for previews. */
export async function previewPolicy(context: Context, caller: Caller, question: PolicyQuestion): Promise<PolicyCheck> {
  return (await open(context, context.db.queries, readPolicies, caller, question)) ?? NO_POLICY;
}

/** @returns null when the policy is removed and the caller follows no other */
async function open(
  context: Context,
  queries: Queries,
  read: typeof readPolicies,
  caller: Caller,
  question: PolicyQuestion,
): Promise<PolicyCheck | null> {
  const { accountId, policyId } = caller;
  if (policyId === null) return NO_POLICY;
  const rows = await read(queries, { policyId, accountId });
  const row = rows.find(({ id }) => id === policyId);
  if (row === undefined) {
    // Read without a lock: where policies are set and removed, they are locked before those that follow them.
    const [followed] = await readFollowed(queries, { id: caller.keyId, accountId });
    const present = followed?.policy_id ?? null;
    if (present === null || present === policyId) return null;
    return open(context, queries, read, { ...caller, policyId: present }, question);
  }
  // The posts of the policy that was copied count also when that policy is gone.
  const policyIds = [...new Set([row.counts_with ?? row.id, ...rows.map(({ id }) => id)])];
  const named = ({ message, ...rest }: Violation): Violation => ({
    ...rest,
    message: `Policy of this ${row.kind === 'grant' ? 'agent' : 'key'}, ${rest.rule}: ${message}`,
  });
  return createCheck(policyId, row.rules, await readUsage(context, queries, policyIds, row.rules, question), named);
}

/** @param named puts into a message whose policy it is */
function createCheck(
  policyId: string,
  rules: PolicyRules,
  usage: PolicyUsage,
  named: (violation: Violation) => Violation,
): PolicyCheck {
  return {
    policyId,
    ofContent: (post) => contentViolations(rules, post).map(named),
    atTime: (post, at) => timeViolations(rules, post, at, usage).map(named),
    count: (post, at) => countPost(usage, post, at),
  };
}

async function readUsage(
  context: Context,
  queries: Queries,
  policyIds: readonly string[],
  rules: PolicyRules,
  { from, until, exceptPostId }: PolicyQuestion,
): Promise<PolicyUsage> {
  const except = exceptPostId ?? null;
  const counts = rules.postsPerHour !== null || rules.postsPerDay !== null;
  // A day later too: the first time that allows one more may be there.
  const range = { from: new Date(+from - DAY_MS), until: new Date(+until + 2 * DAY_MS) };
  const times = counts ? await readTimes(queries, { policyIds, ...range, except }) : [];
  const spentCents = new Map<string, number>();
  const platforms = rules.spendCentsPerMonth === null ? [] : platformsWithFees(context);
  if (platforms.length > 0) {
    const posts = await readFees(queries, { policyIds, from: monthStart(from), platforms, except });
    for (const { at, platform_id: platformId, status, text, fee_cents: paid } of posts) {
      const cents = status === 'scheduled' ? feeOf(context, { platformId, text }) : paid;
      addFee(spentCents, new Date(at), cents);
    }
  }
  return { times: times.map(({ at }) => new Date(at).getTime()), spentCents };
}

/** The error of a post that is refused; null when no rule refuses it. */
export function refusalOf(violations: readonly Violation[]): ItemError | null {
  const found = violations.find(({ effect }) => effect === 'refused');
  return found === undefined ? null : { code: 'policy_refused', message: found.message };
}

/** Why a person is asked about a post; null when no person is. */
export interface Cause {
  readonly message: string;
  /** Whether an allowance for the next posts is enough. */
  readonly allowanceSuffices: boolean;
}

export function causeOf(violations: readonly Violation[]): Cause | null {
  const asks = violations.filter(({ effect }) => effect === 'approval');
  const [first] = asks.toSorted((a, b) => Number(a.rule === 'approvalAlways') - Number(b.rule === 'approvalAlways'));
  return first === undefined ? null : { message: first.message, allowanceSuffices: first.rule === 'approvalAlways' };
}
