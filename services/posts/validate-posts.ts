/**
 * Reports what POST /posts would do with a body, without doing it
 * (docs/contract/connections.md#linking-with-credentials). The checks are those of a send.
 */
import type { ItemError } from '../../errors/item-error.ts';
import { platformOf } from '../../platforms/registry.ts';
import type { PostTarget } from '../connections/resolve-slugs.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { checkAdmissions, needsAdmission } from '../plans/admit-posts.ts';
import { nextFreeSlot, noSlot, readQueues } from '../scheduling/slots.ts';
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
}

/** Errors of a send that do not come from its own content, and the time at which it would be sent. */
interface Preview {
  readonly error: ItemError | null;
  readonly scheduledFor: Date | null;
}

/** @throws ServiceError invalid_request (time, conflicts), invalid_media */
export async function validatePosts(
  context: Context,
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
  const admissions = metered
    ? await checkAdmissions(context, em, caller.accountId, intentsOf(caller, checked, targets))
    : [];
  const ids = targets.map(({ id }) => id);
  const queues = input.queue === true && ids.length > 0 ? await readQueues(em, ids, now) : new Map<string, never>();
  return new Map(
    targets.map(({ id }, index) => {
      const error = admissions[index]?.error ?? null;
      const queue = queues.get(id);
      if (error !== null || queue === undefined) return [id, { error, scheduledFor }];
      const slot = nextFreeSlot(queue, now);
      return [id, { error: slot === null ? noSlot(queue) : null, scheduledFor: slot }];
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
  };
}
