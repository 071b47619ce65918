/**
 * What is decided about a request to create posts before the plan of the account and the queues are asked: which connections
 * get a post, and whether their posts wait for a person. Requests and their previews decide it here.
 */
import { FREE, type Permission } from '../approvals/request-approval.ts';
import type { PostTarget } from '../connections/resolve-slugs.ts';
import type { Context } from '../context.ts';
import { needsAdmission } from '../plans/admit-posts.ts';
import { type Cause, causeOf, type PolicyCheck, refusalOf } from '../policies/policy-check.ts';
import type { Violation } from '../policies/policy-violations.ts';
import type { CheckedInput, CheckedSlug } from './check-slugs.ts';
import { policyPostFor } from './policy-of-post.ts';

export interface RequestToRule {
  readonly checked: CheckedInput;
  readonly slugs: readonly CheckedSlug[];
}

/** A connection that a post is created for. */
export type Accepted = CheckedSlug & { readonly target: PostTarget; readonly error: null };

export interface RequestRuling {
  /** The slugs of the request, with the refusals of the policy. */
  readonly slugs: readonly CheckedSlug[];
  /** Those of them that get a post. */
  readonly accepted: readonly Accepted[];
  /** For all of the posts together. While a person is asked about them, neither the plan nor the queues count. */
  readonly permission: Permission;
}

/** @param permit decides whether so many posts wait for approval; the cause is why the policy asks about one of them */
export async function ruleOnRequest(
  policy: PolicyCheck,
  request: RequestToRule,
  permit: (posts: number, cause: Cause | null) => Promise<Permission>,
): Promise<RequestRuling> {
  const { slugs, cause } = applyPolicy(policy, request);
  const accepted = slugs.filter(isAccepted);
  const permission = isPublished(request) ? await permit(accepted.length, cause) : FREE;
  return { slugs, accepted, permission };
}

/** Whether the posts of a request go out, or wait to. */
export function isPublished({ checked }: RequestToRule): boolean {
  return checked.input.isDraft !== true;
}

/** Whether the plan of the account has a say about posts that go out. */
export function isMetered(context: Context, request: RequestToRule): boolean {
  return (
    isPublished(request) &&
    request.slugs.some(({ target }) => target !== null && needsAdmission(context, target.terms, target.platformId))
  );
}

/** When the posts of a request go out. */
export function planOf({ checked }: RequestToRule) {
  return { scheduledFor: checked.scheduledFor, queue: checked.input.queue === true };
}

export function isAccepted(slug: CheckedSlug): slug is Accepted {
  return slug.target !== null && slug.error === null;
}

/** The slugs of a request with the refusals of a policy, and why a person is asked about one of them. */
function applyPolicy(
  policy: PolicyCheck,
  { checked, slugs }: RequestToRule,
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
