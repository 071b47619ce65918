/**
 * Reports what POST /posts would do with a body, without doing it
 * (docs/contract/connections.md#linking-with-credentials). The checks are those of a send.
 */
import type { ItemError } from '../../errors/item-error.ts';
import { platformOf } from '../../platforms/registry.ts';
import type { PostTarget, WithTargetLookups } from '../connections/resolve-slugs.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { previewPermission } from '../approvals/request-approval.ts';
import { type Admission, checkAdmissions, FREE_OF_CHARGE } from '../plans/admit-posts.ts';
import { NO_POLICY, type PolicyCheck, previewPolicy, refusalOf } from '../policies/policy-check.ts';
import { violationView, type ViolationView } from '../policies/violation-view.ts';
import type { Violation } from '../policies/policy-violations.ts';
import { policyPostFor, questionOf } from './policy-of-post.ts';
import { type Queue, readQueues, slotFor } from '../scheduling/slots.ts';
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
import { requireDrafts } from './replace-drafts.ts';
import {
  isAccepted,
  isMetered,
  isPublished,
  planOf,
  type RequestRuling,
  type RequestToRule,
  ruleOnRequest,
} from './rule-on-request.ts';

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
  /** What would be done to each stored image; empty when the platform takes none. */
  images: ImagePreview[];
  scheduledFor: string | null;
  /** The rules of the caller's policy that would stop the post; empty without a policy. */
  rules: ViolationView[];
}

/** An image that a preview does not fetch, with its position among the images of the post. */
export interface ImageToFetch {
  readonly position: number;
  readonly altText: string | null;
}

/** Errors of a send that do not come from its own content, and the time at which it would be sent. */
interface Preview {
  readonly error: ItemError | null;
  readonly scheduledFor: Date | null;
  /** Rules of the policy that the post breaks. */
  readonly violations: readonly Violation[];
}

/**
 * @param toFetch images besides those of the input, in the order of their positions
 * @throws ServiceError invalid_request (time, conflicts), invalid_media, not_found (a draft to replace)
 */
export async function validatePosts(
  context: Context & WithTargetLookups,
  caller: Caller,
  input: CreatePostsInput,
  toFetch: readonly ImageToFetch[] = [],
): Promise<ValidationResult[]> {
  const checked = withImagesToFetch(await checkInput(context, caller, input), toFetch);
  const slugs = await checkSlugs(context, caller, checked);
  // Without a connection for any slug, POST /posts is refused before it looks for the drafts.
  if (slugs.some(({ target }) => target !== null)) {
    await requireDrafts(context.db.queries, caller, input.replaces ?? []);
  }
  const previews = await preview(context, caller, { checked, slugs });
  return slugs.map((slug) => view(context, checked, slug, previews.get(slug.slug)));
}

function withImagesToFetch(checked: CheckedInput, toFetch: readonly ImageToFetch[]): CheckedInput {
  const images = [...checked.images];
  for (const { position, altText } of toFetch) {
    images.splice(position, 0, { altText, uploadedAltText: null, width: null, height: null });
  }
  return { ...checked, images };
}

/** Previews by slug, for the slugs whose content fits their connection. */
async function preview(context: Context, caller: Caller, request: RequestToRule): Promise<Map<string, Preview>> {
  const now = context.clock.now();
  const question = questionOf(context, planOf(request));
  const policy = isPublished(request) ? await previewPolicy(context, caller, question) : NO_POLICY;
  const ruling = await ruleOnRequest(policy, request, (posts, cause) =>
    previewPermission(context, caller, posts, cause),
  );
  // A person who is asked decides about the time too, and the plan and the queues count then.
  const asks = ruling.permission.kind === 'asks';
  const admissions = asks ? NO_ADMISSIONS : await previewAdmissions(context, caller, request, ruling);
  const queues = asks ? NO_QUEUES : await previewQueues(context, request, now);
  const basis = { checked: request.checked, policy, asks, admissions, queues, now };
  const fitting = new Set(request.slugs.filter(isAccepted).map(({ slug }) => slug));
  return new Map(
    ruling.slugs.flatMap(({ slug, target, error }): [string, Preview][] =>
      target === null || !fitting.has(slug) ? [] : [[slug, previewPost(basis, target, error)]],
    ),
  );
}

/** What the preview of each post of a request is based on. */
interface Basis {
  readonly checked: CheckedInput;
  readonly policy: PolicyCheck;
  /** Whether a person is asked about the posts. */
  readonly asks: boolean;
  /** By the id of the connection; none for a post that needs no admission. */
  readonly admissions: ReadonlyMap<string, Admission>;
  /** By the id of the connection; none when no slot is taken. */
  readonly queues: ReadonlyMap<string, Queue>;
  readonly now: Date;
}

/** @param refusal of the policy, whenever the post goes out */
function previewPost(
  { checked, policy, asks, admissions, queues, now }: Basis,
  target: PostTarget,
  refusal: ItemError | null,
): Preview {
  const admission = admissions.get(target.id) ?? FREE_OF_CHARGE;
  const post = policyPostFor(checked, target, admission.error === null ? admission.feeCents : 0);
  const untimely = (at: Date) => (asks ? [] : policy.atTime(post, at));
  const queue = queues.get(target.id);
  const slot = queue === undefined ? null : slotFor(queue, now, (at) => refusalOf(untimely(at)));
  const at = slot instanceof Date ? slot : (checked.scheduledFor ?? now);
  const found = policy.ofContent(post);
  const violations = slot === null || slot instanceof Date ? [...found, ...untimely(at)] : found;
  const error = refusal ?? admission.error ?? (slot instanceof Date ? null : slot) ?? refusalOf(violations);
  if (error === null && !asks) policy.count(post, at);
  return { error, scheduledFor: slot instanceof Date ? slot : checked.scheduledFor, violations };
}

const NO_ADMISSIONS: ReadonlyMap<string, Admission> = new Map();

const NO_QUEUES: ReadonlyMap<string, Queue> = new Map();

/** What the plan says about each post that the policy lets through, by the id of its connection. */
async function previewAdmissions(
  context: Context,
  caller: Caller,
  request: RequestToRule,
  { accepted }: RequestRuling,
): Promise<ReadonlyMap<string, Admission>> {
  if (!isMetered(context, request)) return NO_ADMISSIONS;
  const targets = accepted.map(({ target }) => target);
  const intents = intentsOf(caller, request.checked, targets);
  const admissions = await checkAdmissions(context, context.db.em(), caller.accountId, intents);
  return new Map(targets.map(({ id }, index) => [id, admissions[index] ?? FREE_OF_CHARGE]));
}

async function previewQueues(context: Context, request: RequestToRule, now: Date): Promise<ReadonlyMap<string, Queue>> {
  const ids = request.slugs.filter(isAccepted).map(({ target }) => target.id);
  if (!planOf(request).queue || ids.length === 0) return NO_QUEUES;
  return readQueues(context.db.em(), ids, now);
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
