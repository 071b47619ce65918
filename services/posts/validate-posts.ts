/**
 * Reports what POST /posts would do with a body, without doing it
 * (docs/contract/connections.md#linking-with-credentials). The checks are those of a send.
 */
import type { ItemError } from '../../errors/item-error.ts';
import { platformOf } from '../../platforms/registry.ts';
import type { PostTarget, WithTargetLookups } from '../connections/resolve-slugs.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { checkAdmissions, FREE_OF_CHARGE, needsAdmission } from '../plans/admit-posts.ts';
import { causeOf, NO_POLICY, previewPolicy, refusalOf } from '../policies/policy-check.ts';
import { violationView, type ViolationView } from '../policies/violation-view.ts';
import type { Violation } from '../policies/policy-violations.ts';
import { policyPostFor, questionOf } from './policy-of-post.ts';
import { readQueues, slotFor } from '../scheduling/slots.ts';
import { timestampOrNull } from '../timestamp.ts';
import { type ImagePreview, previewImages } from '../media/preview-images.ts';
import { measureText, type PartLength, measureParts } from './check-post.ts';
import {
  type CheckedInput,
  checkInput,
  type CheckedSlug,
  checkSlugs,
  contentFor,
  type CreatePostsInput,
  intentsOf,
} from './check-slugs.ts';

export interface ValidationResult {
  connectionSlug: string;
  ok: boolean;
  error: { code: string; message: string } | null;
  /** The text that would be sent. */
  text: string;
  /** Its length as the platform counts it; null when the slug matches no connection. */
  length: number | null;
  maxLength: number | null;
  /** Number of messages that it is split into; absent when it is not split. */
  segments?: number;
  /** The text and each reply of the thread, in order; empty when the slug matches no connection. */
  parts: PartLength[];
  /** What would be done to each image; empty when the platform takes none. */
  images: ImagePreview[];
  scheduledFor: string | null;
  /** The rules of the caller's policy that would stop the post; empty without a policy. */
  rules: ViolationView[];
}

/** Errors of a send that do not come from its own content, and the time at which it would be sent. */
interface Preview {
  readonly error: ItemError | null;
  readonly scheduledFor: Date | null;
  /** Rules of the policy that the post breaks. */
  readonly violations: readonly Violation[];
}

/** @throws ServiceError invalid_request (time, conflicts), invalid_media */
export async function validatePosts(
  context: Context & WithTargetLookups,
  caller: Caller,
  input: CreatePostsInput,
): Promise<ValidationResult[]> {
  const checked = await checkInput(context, caller, input);
  const slugs = await checkSlugs(context, caller, checked);
  const targets = slugs.flatMap(({ target, error }) => (target === null || error !== null ? [] : [target]));
  const previews = await preview(context, caller, checked, targets);
  return slugs.map((slug) => view(context, checked, slug, previews.get(slug.target?.id ?? '')));
}

async function preview(
  context: Context,
  caller: Caller,
  checked: CheckedInput,
  targets: readonly PostTarget[],
): Promise<Map<string, Preview>> {
  const now = context.clock.now();
  const { input, scheduledFor } = checked;
  const metered =
    input.isDraft !== true && targets.some(({ terms, platformId }) => needsAdmission(context, terms, platformId));
  const em = context.db.em();
  const policy =
    input.isDraft === true
      ? NO_POLICY
      : await previewPolicy(context, caller, questionOf(context, { scheduledFor, queue: input.queue === true }));
  const admissions = metered
    ? await checkAdmissions(context, em, caller.accountId, intentsOf(caller, checked, targets))
    : [];
  const ids = targets.map(({ id }) => id);
  const queues = input.queue === true && ids.length > 0 ? await readQueues(em, ids, now) : new Map<string, never>();
  return new Map(
    targets.map((target, index) => {
      const admission = admissions[index] ?? FREE_OF_CHARGE;
      const post = policyPostFor(checked, target, admission.error === null ? admission.feeCents : 0);
      const found = policy.ofContent(post);
      // A person who is asked decides about the time too.
      const isAsked = caller.approval === 'required' || causeOf(found) !== null;
      const untimely = (at: Date) => (isAsked ? [] : policy.atTime(post, at));
      const queue = queues.get(target.id);
      const slot = queue === undefined ? null : slotFor(queue, now, (at) => refusalOf(untimely(at)));
      const at = slot instanceof Date ? slot : (scheduledFor ?? now);
      const violations = slot === null || slot instanceof Date ? [...found, ...untimely(at)] : found;
      const error =
        admission.error ?? refusalOf(found) ?? (slot instanceof Date ? null : slot) ?? refusalOf(violations);
      if (error === null && !isAsked) policy.count(post, at);
      return [target.id, { error, scheduledFor: slot instanceof Date ? slot : scheduledFor, violations }];
    }),
  );
}

function view(
  context: Context,
  checked: CheckedInput,
  { slug, target, error: found }: CheckedSlug,
  preview: Preview | undefined,
): ValidationResult {
  const error = found ?? preview?.error ?? null;
  const content = target === null ? null : contentFor(checked, target);
  const text = content?.text ?? checked.input.text;
  const platform = target === null ? null : platformOf(context.platforms, target.platformId);
  const segments = platform?.text.segments?.(text);
  const limits = target?.limits ?? null;
  const measured = platform === null ? null : measureText(platform, limits, text);
  return {
    connectionSlug: slug,
    ok: error === null,
    error: error === null ? null : { code: error.code, message: error.message },
    text,
    length: measured?.length ?? null,
    maxLength: measured?.maxLength ?? null,
    ...(segments !== undefined && { segments }),
    parts: platform === null || content === null ? [] : measureParts(platform, limits, content),
    images: platform === null ? [] : previewImages(platform, limits, checked.media),
    scheduledFor: error === null ? timestampOrNull(preview?.scheduledFor ?? null) : null,
    rules: (preview?.violations ?? []).map(violationView),
  };
}
