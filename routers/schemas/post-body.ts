/**
 * The body of POST /posts and of POST /posts/validate, and the parts of it that other operations share
 * (docs/contract/posts.md#immediate-posts).
 */
import { z } from 'zod';
import { ServiceError } from '../../errors/service-error.ts';
import { ALT_TEXT_MAX, IMAGES_PER_POST_MAX } from '../../services/images/limits.ts';
import { PLATFORM_IDS } from '../../services/platforms/platform-ids.ts';
import { normaliseTag, TAG_PATTERN, TAG_SENT_PATTERN, TAGS_MAX, uniqueTags } from '../../services/posts/tags.ts';
import {
  dateTimeInput,
  optionalOrNull,
  SLUG_READ_MAX,
  slugInput,
  storableText,
  textInput,
  timeZoneInput,
  uuidInput,
} from './common.ts';
import { PostText, Words } from './post.ts';

/** Most connections one request may name (docs/contract/running.md#roles). */
const SLUGS_MAX = 100;

/** Replies of a thread (docs/contract/threads.md#threads). */
const REPLIES_MAX = 24;

/** Longest first comment that is accepted at all. */
const COMMENT_MAX = 10_000;

/** Longest tag that is read, including surrounding whitespace. */
const TAG_READ_MAX = 200;

/** A tag as it is sent: trimmed and lowercased, not yet validated. */
const SentTag = textInput(TAG_READ_MAX).transform(normaliseTag);

export const Tags = z
  .array(SentTag.pipe(z.string().regex(TAG_PATTERN, '1 to 40 of the characters a-z 0-9 - _ : . /')))
  .transform(uniqueTags)
  .pipe(z.array(z.string()).max(TAGS_MAX))
  .meta({
    type: 'array',
    items: { type: 'string', pattern: TAG_SENT_PATTERN, maxLength: TAG_READ_MAX },
    maxItems: TAGS_MAX,
    description: `At most ${TAGS_MAX} tags, each 1 to 40 of a-z 0-9 - _ : . /; trimmed, lowercased, repeats dropped.`,
  });

/**
 * An id whose form is checked together with the media, because both errors have the code invalid_media
 * (docs/contract/posts.md#limits-of-a-post).
 */
const MediaId = z.string().meta({ format: 'uuid' });

const AltText = storableText(z.string().max(ALT_TEXT_MAX));

export const MediaIds = z
  .array(MediaId)
  .max(IMAGES_PER_POST_MAX)
  .describe(`Ids of up to ${IMAGES_PER_POST_MAX} uploaded images, in order; this or media.`);

export const MediaItems = z
  .array(
    z.strictObject({
      id: MediaId,
      altText: optionalOrNull(AltText).describe(
        `What the image shows, at most ${ALT_TEXT_MAX} characters; in place of what the upload said.`,
      ),
    }),
  )
  .max(IMAGES_PER_POST_MAX)
  .describe(`Up to ${IMAGES_PER_POST_MAX} uploaded images with what they show, in order; this or mediaIds.`);

export const Thread = z
  .array(Words)
  .max(REPLIES_MAX)
  .describe(
    `Up to ${REPLIES_MAX} replies under the post, in order, where the platform has threads. Images stay on the post.`,
  );

export const FirstComment = storableText(z.string().trim().min(1).max(COMMENT_MAX)).describe(
  'A comment under the post, where the platform has first comments.',
);

/** Fields that set the time of a post. */
export const whenFields = {
  scheduledFor: optionalOrNull(dateTimeInput('When to send: in the future, at most 30 days ahead. Left out, now.')),
  timezone: timeZoneInput()
    .optional()
    .describe('IANA zone, such as Europe/Paris, in which a scheduledFor without UTC offset is read.'),
  queue: z.boolean().optional().describe('Take the next free queue slot. Not with scheduledFor.'),
};

export const idempotencyKeyField = {
  idempotencyKey: storableText(z.string().min(1).max(255))
    .optional()
    .describe('For 24 hours the same request with the same key gives the first answer and posts nothing again.'),
};

export const replacesField = {
  replaces: z.array(uuidInput('Draft.')).optional().describe('Ids of drafts that the new posts replace.'),
};

export const postBodyFields = {
  text: PostText,
  connectionSlugs: z
    .array(slugInput())
    .transform((slugs) => [...new Set(slugs)])
    .pipe(z.array(z.string()).min(1).max(SLUGS_MAX))
    .meta({
      type: 'array',
      items: { type: 'string', minLength: 1, maxLength: SLUG_READ_MAX },
      minItems: 1,
      maxItems: SLUGS_MAX,
      description: `Slugs of the connections to post to, 1 to ${SLUGS_MAX}. Repeats are ignored.`,
    }),
  ...whenFields,
  mediaIds: MediaIds.optional(),
  media: MediaItems.optional(),
  thread: Thread.optional(),
  firstComment: optionalOrNull(FirstComment),
  isDraft: z.boolean().optional().describe('Store drafts, publish nothing yet. Not with scheduledFor or queue.'),
  tags: Tags.optional(),
  profileId: optionalOrNull(
    uuidInput('Profile that every slug must belong to. Left out, your own connections are meant.'),
  ),
  rewrite: optionalOrNull(z.boolean()).describe(
    'Whether AI rewrites the text; left out, connection and account decide.',
  ),
  textByPlatform: z
    .partialRecord(z.enum(PLATFORM_IDS), Words)
    .optional()
    .describe('Text by platform id, in place of the shared text there.'),
};

/**
 * The images of a body, from either of the two fields.
 *
 * @throws ServiceError invalid_request when both are given
 */
export function mediaOf(input: {
  mediaIds?: string[] | undefined;
  media?: { id: string; altText?: string | undefined }[] | undefined;
}): { id: string; altText?: string | undefined }[] | undefined {
  if (input.media !== undefined && input.mediaIds !== undefined) {
    throw new ServiceError('invalid_request', 'media: cannot be combined with mediaIds; send one of the two.');
  }
  return input.media ?? input.mediaIds?.map((id) => ({ id }));
}
