/** What the policy of a caller says about posts that the caller wants to send or move. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { statement } from '../../entities/statement.ts';
import type { ItemError } from '../../errors/item-error.ts';
import type { Caller } from '../access/caller.ts';
import { readApprovalContent } from '../approvals/approval-content.ts';
import type { Context } from '../context.ts';
import { altTextOf } from '../media/check-media.ts';
import { type Cause, causeOf, holdPolicy, type PolicyQuestion, refusalOf } from '../policies/policy-check.ts';
import type { PostTarget } from '../connections/resolve-slugs.ts';
import { type PolicyPost, policyPost } from '../policies/policy-post.ts';
import { HORIZON_MS } from '../scheduling/horizon.ts';
import { type CheckedInput, contentFor } from './check-slugs.ts';
import { PostChanged } from './post-changed.ts';
import type { PostRow } from './post-view.ts';

/** When posts go out; neither means now. */
interface Plan {
  readonly scheduledFor: Date | null;
  readonly queue: boolean;
}

export interface PolicyRuling {
  /** Null when there is no policy. */
  readonly policyId: string | null;
  /** Those that go out with the images that it is about, in their order; empty without a policy. */
  readonly altTexts: readonly (string | null)[];
  /** Why it must not go out at all; null when it may. */
  readonly refusal: ItemError | null;
  /** Why a person is asked; null when no person is. */
  readonly cause: Cause | null;
  /** Why it must not go out at a time. */
  readonly refusalAt: (at: Date, feeCents: number) => ItemError | null;
}

/** The ruling for a caller without a policy, and for a person who approves. */
export const NO_RULING: PolicyRuling = {
  policyId: null,
  altTexts: [],
  refusal: null,
  cause: null,
  refusalAt: () => null,
};

const putUnder = statement('put a post under a policy', {
  parameters: { postId: 'uuid', policyId: 'uuid' },
  result: { alt_text: 'text?' },
  sql: ({ postId, policyId }) => `
    with followed as (
      update posts set policy_id = ${policyId} where id = ${postId} and policy_id is distinct from ${policyId}
    )
    select coalesce(u.alt_text, m.alt_text) as alt_text from post_media u join media m on m.id = u.media_id
    where u.post_id = ${postId} order by u.position`,
});

/** The span of time that a check is about. */
export function questionOf({ clock }: Context, { scheduledFor, queue }: Plan): PolicyQuestion {
  const from = scheduledFor ?? clock.now();
  return { from, until: queue ? new Date(+from + HORIZON_MS) : from };
}

/** As the rules look at the post of a request to one connection. */
export function policyPostFor(checked: CheckedInput, target: PostTarget, feeCents: number): PolicyPost {
  const altTexts = checked.images.map(altTextOf);
  return policyPost(target, { ...contentFor(checked, target), altTexts }, feeCents);
}

/**
 * Locks the policy, and not the post: those who lock a connection or an account lock posts after it. A caller that locks the
 * post later has to check that it still says the same ({@link followPolicy}, post-changed.ts).
 */
export async function ruleOnPost(
  context: Context,
  em: SqlEntityManager,
  caller: Caller,
  post: PostRow,
  plan: Plan,
): Promise<PolicyRuling> {
  const question = { ...questionOf(context, plan), exceptPostId: post.id };
  const policy = await holdPolicy(context, em, caller, question);
  if (policy.policyId === null) return NO_RULING;
  const connection = { id: post.connection_id, slug: post.connection_slug, platformId: post.platform_id };
  const { media, ...content } = await readApprovalContent(em, post);
  const altTexts = media.map(({ altText }) => altText);
  const asked = policyPost(connection, { ...content, altTexts }, 0);
  const violations = policy.ofContent(asked);
  return {
    policyId: policy.policyId,
    altTexts,
    refusal: refusalOf(violations),
    cause: causeOf(violations),
    refusalAt: (at, feeCents) => refusalOf(policy.atTime({ ...asked, feeCents }, at)),
  };
}

/**
 * Remembers with a post that goes out which policy it follows. Call it after the post is locked.
 *
 * @throws PostChanged when its images have other alt texts than those that the ruling is about
 */
export async function followPolicy(
  em: SqlEntityManager,
  { id: postId }: PostRow,
  { policyId, altTexts }: PolicyRuling,
): Promise<void> {
  if (policyId === null) return;
  const images = await putUnder(em, { postId, policyId });
  const isSame = images.length === altTexts.length && images.every((image, at) => image.alt_text === altTexts[at]);
  if (!isSame) throw new PostChanged();
}
