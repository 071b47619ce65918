/** Posts under a policy, as SQL on `p`. */

/** SQL: the id that policy `y` has in common with those whose posts count together with its own. */
export const countedAs = (y: string) => `coalesce(${y}.counts_with, ${y}.id)`;

/** SQL: whether posts of policy `y` count together with those of the policies with this id in common. */
export const countsAs = (y: string, common: string) => `(${y}.id = ${common} or ${y}.counts_with = ${common})`;

/** When a post goes out or went out; `posts_policy_index` has the same expression. */
export const POST_AT = 'coalesce(p.sent_at, p.claimed_until, p.scheduled_for, p.created_at)';

/** Whether it goes out or went out. A post whose outcome is unknown may be out. */
export const POST_GOES_OUT = `(p.status in ('scheduled', 'processing') or p.sent_at is not null or p.error_code = 'outcome_unknown')`;
