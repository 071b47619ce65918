/** Shows what rules would have done to the recent posts of a key or grant. Changes nothing (docs/contract/policies.md#trying-rules). */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { PolicyRules } from '../../entities/policy.ts';
import { type RowOf, statement } from '../../entities/statement.ts';
import type { Caller } from '../access/caller.ts';
import type { Context } from '../context.ts';
import { earliestId } from '../ids.ts';
import { timestamp } from '../timestamp.ts';
import { listMembers } from './policy-members.ts';
import { policyPost } from './policy-post.ts';
import { countPost, emptyUsage } from './policy-usage.ts';
import { contentViolations, timeViolations } from './policy-violations.ts';
import { POST_AT, POST_GOES_OUT } from './posts-under.ts';
import { violationView, type ViolationView } from './violation-view.ts';
import { checkRules, requireTarget } from './set-policy.ts';

/** Most posts that are looked at, and how far back. */
export const TRIED_POSTS = 200;
export const TRIED_DAYS = 30;

const DAY_MS = 86_400_000;

export interface PolicyTrial {
  /** Posts that were looked at. */
  posts: number;
  /** Those that would have been refused, or have needed a person, oldest first. */
  stopped: { postId: string; connectionSlug: string; at: string; text: string; rules: ViolationView[] }[];
}

const recentPosts = statement('read the recent posts of keys and grants', {
  parameters: { accountId: 'uuid', creators: 'uuid[]', since: 'uuid', most: 'int' },
  result: {
    id: 'uuid',
    connection_id: 'uuid',
    connection_slug: 'text',
    platform_id: 'text',
    text: 'text',
    thread: 'text[]',
    first_comment: 'text?',
    fee_cents: 'int',
    at: 'timestamptz',
    alt_texts: 'text[]',
  },
  sql: ({ accountId, creators, since, most }) => `
    select p.id, p.connection_id, p.connection_slug, p.platform_id, p.text, p.thread, p.first_comment, p.fee_cents,
      ${POST_AT} as at,
      array(
        select coalesce(u.alt_text, m.alt_text) from post_media u join media m on m.id = u.media_id
        where u.post_id = p.id and coalesce(u.alt_text, m.alt_text) is not null
      ) as alt_texts
    from posts p
    where p.account_id = ${accountId} and p.created_by_id = any(${creators}) and p.id >= ${since}
      and ${POST_GOES_OUT}
    order by p.id desc limit ${most}`,
});

/** @throws ServiceError not_found, invalid_request */
export async function tryPolicy(
  context: Context,
  caller: Caller,
  policyId: string,
  rules: PolicyRules,
): Promise<PolicyTrial> {
  const em: SqlEntityManager = context.db.em();
  await requireTarget(em, caller, policyId);
  await checkRules(em, caller, policyId, rules);
  const { accountId } = caller;
  const members = await listMembers(context.db.queries, { accountId, id: policyId });
  const since = earliestId(new Date(context.clock.now().getTime() - TRIED_DAYS * DAY_MS));
  const creators = members.map(({ id }) => id);
  const rows = await recentPosts(context.db.queries, { accountId, creators, since, most: TRIED_POSTS });
  return {
    posts: rows.length,
    stopped: applyInOrder(
      rules,
      rows.toSorted((a, b) => a.at.localeCompare(b.at)),
    ),
  };
}

function applyInOrder(rules: PolicyRules, rows: readonly RowOf<typeof recentPosts>[]): PolicyTrial['stopped'] {
  const usage = emptyUsage();
  return rows.flatMap((row) => {
    const at = new Date(row.at);
    const { id: postId, connection_id: id, connection_slug: slug, platform_id: platformId, text, thread } = row;
    const words = { text, thread, firstComment: row.first_comment, altTexts: row.alt_texts };
    const post = policyPost({ id, slug, platformId }, words, row.fee_cents);
    const violations = [...contentViolations(rules, post), ...timeViolations(rules, post, at, usage)];
    if (violations.every(({ effect }) => effect !== 'refused')) countPost(usage, post, at);
    if (violations.length === 0) return [];
    return { postId, connectionSlug: slug, at: timestamp(at), text, rules: violations.map(violationView) };
  });
}
