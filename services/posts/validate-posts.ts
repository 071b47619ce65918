/** Says what POST /posts would do with a body, and does none of it (D11). The checks are those of a send. */
import { platformOf } from '../../platforms/registry.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../keys/caller.ts';
import { timestampOrNull } from '../timestamp.ts';
import { measureText } from './check-post.ts';
import { checkInput, checkSlugs, contentFor, type CreatePostsInput } from './create-posts.ts';

export interface ValidationResult {
  connectionSlug: string;
  ok: boolean;
  error: { code: string; message: string } | null;
  /** The text that would go out. */
  text: string;
  /** Its length as the platform counts; null when the slug names no connection. */
  length: number | null;
  maxLength: number | null;
  scheduledFor: string | null;
}

/** @throws ServiceError invalid_request (time, conflicts), invalid_media */
export async function validatePosts(
  context: Context,
  caller: Caller,
  input: CreatePostsInput,
): Promise<ValidationResult[]> {
  const checked = await checkInput(context, caller, input);
  const slugs = await checkSlugs(context, caller, checked);
  return slugs.map(({ slug, target, error }) => {
    const text = target === null ? input.text : contentFor(checked, target).text;
    const platform = target === null ? null : platformOf(context.platforms, target.platformId);
    const measured = platform === null ? null : measureText(platform, target?.limits ?? null, text);
    return {
      connectionSlug: slug,
      ok: error === null,
      error: error === null ? null : { code: error.code, message: error.message },
      text,
      length: measured?.length ?? null,
      maxLength: measured?.maxLength ?? null,
      scheduledFor: error === null ? timestampOrNull(checked.scheduledFor) : null,
    };
  });
}
