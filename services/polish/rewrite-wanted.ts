/**
 * Decides whether a post is rewritten before it is sent: the post's setting, otherwise its connection's, otherwise its
 * account's (docs/contract/profiles-and-keys.md#account). The statement that claims the post decides, so that a
 * recovery cannot decide differently.
 */

/** @param accountDefault SQL of the account's setting */
const wantedByConnection = (accountDefault: string) =>
  `case c.rewrite_mode when 'on' then true when 'off' then false else ${accountDefault} end`;

/** Of `connections c`. */
const WANTED_BY_CONNECTION = wantedByConnection('(select w.rewrite_default from accounts w where w.id = c.account_id)');

/** SQL: whether a due post will wait for a model before it is sent. Of `posts p`, `connections c` and `accounts a`. */
export const AWAITS_MODEL = `(p.ai_rewrite_status is distinct from 'rewritten' and p.repeats = 0 and cardinality(p.thread) = 0
  and coalesce(p.rewrite, ${wantedByConnection('a.rewrite_default')}))`;

/**
 * SQL: the value that a claim writes into `ai_rewrite_status`. Of `posts p`, as they were before the claim, and
 * `connections c`. A text that an earlier send may have published is never replaced, nor is the text of a post that is
 * repeated because its platform was unavailable.
 */
export const DECIDED_REWRITE = `case
  when p.repeats > 0 then nullif(p.ai_rewrite_status, 'pending')
  when p.ai_rewrite_status in ('rewritten', 'skipped') or not coalesce(p.rewrite, ${WANTED_BY_CONNECTION})
    then nullif(p.ai_rewrite_status, 'pending')
  when cardinality(p.thread) > 0 then 'skipped'
  when exists (
    select 1 from attempts e where e.post_id = p.id and e.state in ('sending', 'accepted', 'unknown')
  ) then nullif(p.ai_rewrite_status, 'pending')
  else 'pending' end`;
