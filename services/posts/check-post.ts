/**
 * Checks whether a post fits a connection: text, thread, first comment and images, against the platform's facts and the
 * limits of the account's own server. Sending, drafts and POST /posts/validate all use this one check.
 */
import type { ItemError } from '../../errors/item-error.ts';
import type { AnyPlatform, ConnectionLimits } from '../../platforms/contract.ts';
import { countText } from '../../platforms/text.ts';
import type { Context } from '../context.ts';
import { mediaError, ratioError, type UnfetchedImage } from '../media/check-media.ts';
import type { ImageSize } from '../images/inspect-image.ts';
import { unreachableImages } from '../media/image-address.ts';
import { checkText, tooMany } from '../../platforms/check-text.ts';

/** The content of a post, independent of its connections. A preview also has images without a size. */
export interface PostContent<Image = ImageSize> {
  readonly text: string;
  readonly thread: readonly string[];
  readonly firstComment: string | null;
  readonly images: readonly Image[];
}

/**
 * @returns null when the post fits; otherwise shape_unsupported, media_unsupported or platform_rejected
 *   (docs/contract/posts.md#refused-before-sending)
 */
export function checkPost(
  context: Context,
  platform: AnyPlatform,
  limits: ConnectionLimits | null,
  content: PostContent<ImageSize | UnfetchedImage>,
): ItemError | null {
  return (
    shapeError(platform, content) ??
    mediaError(platform, content.images.length, limits) ??
    ratioError(platform, content.images) ??
    unreachableImages(context, platform, content.images.length) ??
    checkText(platform, limits, content.text) ??
    replyError(platform, limits, content.thread) ??
    commentError(platform, content.firstComment)
  );
}

/** The length of a text and the maximum of the connection, both in the platform's unit. */
export function measureText(
  platform: AnyPlatform,
  limits: ConnectionLimits | null,
  text: string,
): { length: number; maxLength: number } {
  const facts = { ...platform.text, ...limits?.text };
  return { length: countText(text, facts), maxLength: facts.maxLength };
}

/** The length of one part of a post, and why it does not fit. */
export interface PartLength {
  length: number;
  maxLength: number;
  /** Absent when it fits. */
  reason?: string;
}

/** Measures the text and, where the platform has threads, then each reply. */
export function measureParts(
  platform: AnyPlatform,
  limits: ConnectionLimits | null,
  { text, thread }: Pick<PostContent, 'text' | 'thread'>,
): PartLength[] {
  const replies = platform.thread === null ? [] : thread;
  return [text, ...replies].map((words) => {
    const error = checkText(platform, limits, words);
    return { ...measureText(platform, limits, words), ...(error !== null && { reason: error.message }) };
  });
}

function shapeError(platform: AnyPlatform, content: Pick<PostContent, 'thread' | 'firstComment'>): ItemError | null {
  if (content.thread.length > 0 && platform.thread === null) {
    return {
      code: 'shape_unsupported',
      message: `${platform.name} has no threads. Leave out thread for this connection.`,
    };
  }
  if (content.firstComment !== null && platform.firstComment === null) {
    return {
      code: 'shape_unsupported',
      message: `${platform.name} has no first comments. Leave out firstComment for this connection.`,
    };
  }
  return null;
}

function replyError(
  platform: AnyPlatform,
  limits: ConnectionLimits | null,
  thread: readonly string[],
): ItemError | null {
  for (const [index, reply] of thread.entries()) {
    const error = checkText(platform, limits, reply);
    if (error !== null) return { ...error, message: `thread.${index}: ${error.message}` };
  }
  return null;
}

/** Refused before the post: afterwards it would be up without its comment. */
function commentError(platform: AnyPlatform, comment: string | null): ItemError | null {
  if (comment === null || platform.firstComment === null) return null;
  const { unit } = platform.text;
  return tooMany(platform, 'firstComment', unit.count(comment), platform.firstComment.maxLength, unit.plural);
}
