/**
 * Rewrites the text of a claimed post if the claim says so. The final text is committed before the platform is called,
 * so that a recovery and every lookup of a lost answer use the same text. Until that commit, no platform has been
 * called.
 */
import { column } from '../../entities/column-lists.ts';
import { orNull } from '../../entities/sql-types.ts';
import { statement } from '../../entities/statement.ts';
import { platformOf } from '../../platforms/registry.ts';
import type { Context } from '../context.ts';
import { findVoice } from '../polish/find-voice.ts';
import { type Rewrite, rewriteText } from '../polish/rewrite-text.ts';
import { untilDatabaseAnswers } from '../until-database-answers.ts';
import type { ClaimedSend, SendablePost } from './claimed-send.ts';
import type { SentText } from './find-sent-text.ts';
import { ClaimLost } from './ledger.ts';
import { ABSENT, type Absent } from './send-part.ts';
import { leaseNow, SEND_TIMES } from './send-times.ts';

export interface PolishedSend {
  readonly claimed: ClaimedSend;
  /** Why the original is sent although a rewrite was requested; null otherwise. */
  readonly rewriteWarning: string | null;
}

// Renews the lease, because the platform is called only after the model has answered. A repeat after a lost answer finds the
// text and its status stored under the same claim, and adds no words. Earlier sends said something else than another text.
const keepRewrite = statement('keep the rewrite of a claimed post', {
  parameters: {
    postId: 'uuid',
    claim: 'uuid',
    attemptId: 'uuid?',
    text: 'text',
    status: 'text',
    warning: 'text?',
    claimedUntil: 'timestamptz',
    startedAt: 'timestamptz',
  },
  result: { id: 'uuid' },
  sql: ({ postId, claim, attemptId, text, status, warning, claimedUntil, startedAt }) => `
    with held as (
      update posts set content_generation = case when text = ${text} then content_generation else generation end,
        text = ${text}, ai_rewrite_status = ${status}, rewrite_warning = ${warning},
        claimed_until = ${claimedUntil}
      where id = ${postId} and claim = ${claim} and status = 'processing'
        and (ai_rewrite_status = 'pending' or (ai_rewrite_status = ${status} and text = ${text})) returning id
    ), worded as (
      update post_words w set words = w.words || to_tsvector('simple', ${text}) from held, posts p
      where w.post_id = held.id and p.id = held.id and p.ai_rewrite_status = 'pending'
    ), begun as (
      update attempts a set started_at = ${startedAt} from held where a.post_id = held.id and a.id = ${attemptId}
    )
    select id from held`,
});

/**
 * @param sentText the text stays unless it is `absent` from the platform: a lookup would not find it after a rewrite
 * @throws ClaimLost when another worker has taken the send over meanwhile
 */
export async function polishSend(
  context: Context,
  claimed: ClaimedSend,
  sentText: SentText = ABSENT,
): Promise<PolishedSend> {
  const { post, attempt } = claimed;
  const { text, status, warning } =
    sentText.state === 'absent' ? await rewriteOf(context, claimed) : original(context, post, sentText);
  const { lease, startedAt } = await untilDatabaseAnswers(context, SEND_TIMES.leaseMs, async () => {
    const begun = { startedAt: context.clock.now(), lease: leaseNow(context.clock) };
    const kept = await keepRewrite(context.db.queries, {
      postId: post.id,
      claim: claimed.claim,
      attemptId: attempt?.id ?? null,
      text,
      status,
      warning,
      claimedUntil: begun.lease.until,
      startedAt: begun.startedAt,
    });
    if (kept.length === 0) throw new ClaimLost(`the claim on post ${post.id} was lost`);
    return begun;
  });
  return {
    claimed: {
      ...claimed,
      post: { ...post, text, aiRewriteStatus: status },
      lease,
      attempt: attempt && { ...attempt, startedAt },
      // The earlier process had not called the platform yet.
      interrupted: false,
    },
    rewriteWarning: warning,
  };
}

/** SQL: the policy that the key or agent of post `p` follows now. A policy has the id of its key or grant, and ends with it. */
const FOLLOWED = `
  case when k.id is null and g.id is null then p.policy_id else coalesce(k.policy_id, g.policy_id) end`;

const findTerms = statement('find what the rewrite of a post has to keep to', {
  parameters: { postId: 'uuid', connectionId: 'uuid' },
  result: {
    limits: column('connections', 'limits'),
    profile_id: column('connections', 'profile_id'),
    policy_id: 'uuid?',
    rules: orNull(column('policies', 'rules')),
    maker_rules: orNull(column('policies', 'rules')),
  },
  sql: ({ postId, connectionId }) => `
    select c.limits, c.profile_id, ${FOLLOWED} as policy_id, y.rules, m.rules as maker_rules
    from connections c left join posts p on p.id = ${postId}
      left join api_keys k on k.id = p.policy_id left join oauth_grants g on g.id = p.policy_id
      left join policies y on y.id = ${FOLLOWED}
      left join api_keys mk on mk.id = p.created_by_id left join oauth_grants mg on mg.id = p.created_by_id
      left join policies m on m.id = coalesce(mk.policy_id, mg.policy_id)
    where c.id = ${connectionId}`,
});

async function rewriteOf(context: Context, { post, connection }: ClaimedSend): Promise<Rewrite> {
  const [row] = await findTerms(context.db.queries, { postId: post.id, connectionId: connection.id });
  const rules = row?.rules ?? null;
  if (row !== undefined && row.policy_id !== null && rules === null) {
    const warning = 'The policy of the post has ended with its key or agent. The original text went out.';
    return { text: post.text, status: 'failed', warning };
  }
  const voice = await findVoice(context, post.accountId, row?.profile_id ?? null);
  const platform = platformOf(context.platforms, post.platformId);
  return rewriteText(context, {
    postId: post.id,
    text: post.text,
    platform,
    limits: row?.limits ?? null,
    voice,
    // The key that made the post may have got a policy, or another one, after the post was scheduled.
    guardedWords: [...new Set([rules, row?.maker_rules].flatMap((some) => some?.approvalWords ?? []))],
  });
}

/** The text that the platform has, or may have. */
function original(
  { platforms }: Context,
  { platformId, text }: SendablePost,
  sentText: Exclude<SentText, Absent>,
): Rewrite {
  const { name } = platformOf(platforms, platformId);
  const warning =
    sentText.state === 'unseen'
      ? `${name} did not say whether it has an earlier send of this post. The original text stays.`
      : `${name} has an earlier send of this post, with the original text.`;
  return { text, status: 'failed', warning };
}
