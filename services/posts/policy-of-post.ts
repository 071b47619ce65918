/** What the policy of a caller says about posts that the caller wants to send or move. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { tables } from '../../entities/tables.ts';
import type { ItemError } from '../../errors/item-error.ts';
import type { Caller } from '../access/caller.ts';
import { readApprovalContent } from '../approvals/approval-content.ts';
import type { Context } from '../context.ts';
import {
  type Cause,
  causeOf,
  holdPolicy,
  type PolicyCheck,
  type PolicyQuestion,
  refusalOf,
} from '../policies/policy-check.ts';
import type { PostTarget } from '../connections/resolve-slugs.ts';
import { type PolicyPost, policyPost } from '../policies/policy-post.ts';
import type { Violation } from '../policies/policy-violations.ts';
import { HORIZON_MS } from '../scheduling/horizon.ts';
import { type CheckedInput, type CheckedSlug, contentFor } from './check-slugs.ts';
import type { PostRow } from './post-view.ts';

/** When posts go out; neither means now. */
interface Plan {
  readonly scheduledFor: Date | null;
  readonly queue: boolean;
}

export interface PolicyRuling {
  /** Why it must not go out at all; null when it may. */
  readonly refusal: ItemError | null;
  /** Why a person is asked; null when no person is. */
  readonly cause: Cause | null;
  /** Why it must not go out at a time. */
  readonly refusalAt: (at: Date, feeCents: number) => ItemError | null;
}

const NO_RULING: PolicyRuling = { refusal: null, cause: null, refusalAt: () => null };

/** The span of time that a check is about. */
export function questionOf({ clock }: Context, { scheduledFor, queue }: Plan): PolicyQuestion {
  const from = scheduledFor ?? clock.now();
  return { from, until: queue ? new Date(+from + HORIZON_MS) : from };
}

/** As the rules look at the post of a request to one connection. */
export function policyPostFor(checked: CheckedInput, target: PostTarget, feeCents: number): PolicyPost {
  const altTexts = checked.media.map(({ altText }) => altText);
  return policyPost(target, { ...contentFor(checked, target), altTexts }, feeCents);
}

/** The slugs of a request with the refusals of a policy, and why a person is asked about one of them. */
export function applyPolicy(
  policy: PolicyCheck,
  { checked, slugs }: { readonly checked: CheckedInput; readonly slugs: readonly CheckedSlug[] },
): { slugs: CheckedSlug[]; cause: Cause | null } {
  const found: Violation[] = [];
  const ruled = slugs.map((slug): CheckedSlug => {
    if (slug.target === null || slug.error !== null) return slug;
    const violations = policy.ofContent(policyPostFor(checked, slug.target, 0));
    const error = refusalOf(violations);
    if (error !== null) return { ...slug, error };
    found.push(...violations);
    return slug;
  });
  return { slugs: ruled, cause: causeOf(found) };
}

/** Locks the policy, and remembers with the post that it follows it. */
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
  await tables(em).updateTable('posts').set({ policy_id: policy.policyId }).where('id', '=', post.id).execute();
  const connection = { id: post.connection_id, slug: post.connection_slug, platformId: post.platform_id };
  const { media, ...content } = await readApprovalContent(em, post);
  const asked = policyPost(connection, { ...content, altTexts: media.map(({ altText }) => altText) }, 0);
  const violations = policy.ofContent(asked);
  return {
    refusal: refusalOf(violations),
    cause: causeOf(violations),
    refusalAt: (at, feeCents) => refusalOf(policy.atTime({ ...asked, feeCents }, at)),
  };
}
