/** Posts under a policy, as SQL on `p`. */

/** When a post goes out or went out; `posts_policy_index` has the same expression. */
export const POST_AT = 'coalesce(p.sent_at, p.claimed_until, p.scheduled_for, p.created_at)';

/** Whether it goes out or went out. A post whose outcome is unknown may be out. */
export const POST_GOES_OUT = `(p.status in ('scheduled', 'processing') or p.sent_at is not null or p.error_code = 'outcome_unknown')`;
