/**
 * A post, a post in a calendar, and the result of a send, on the wire (docs/contract/posts.md#fields,
 * docs/contract/scheduling.md#calendar, docs/contract/posts.md#immediate-posts).
 */
import { z } from 'zod';
import { APPROVAL_ACTORS } from '../../entities/approval-actors.ts';
import { POST_STATUSES } from '../../entities/post.ts';
import { CALENDAR_STATUSES } from '../../services/posts/calendar-rows.ts';
import { ItemError, storableText, timestampOutput, uuidOutput } from './common.ts';
import { Approval } from './approval.ts';
import { ImageContentType } from './media.ts';

/** Longest text that is accepted at all; platforms set far smaller limits. */
const TEXT_MAX = 100_000;

/** Text to publish: trimmed, and not empty after that. */
export const Words = storableText(z.string().trim().min(1).max(TEXT_MAX));

export const PostText = Words.describe('Text of the post; surrounding whitespace is removed.');

const postFields = {
  id: uuidOutput('Id of the post.'),
  connectionSlug: z.string().describe('Slug of the connection it goes to.'),
  text: z.string().describe('What goes out, or went out.'),
  originalText: z.string().describe('What the caller sent for this platform.'),
  aiRewriteStatus: z
    .enum(['rewritten', 'failed', 'skipped'])
    .nullable()
    .describe(
      'What AI polish did: rewritten, failed (the original goes out), or skipped (a thread); null when the text was not touched.',
    ),
  status: z.enum(POST_STATUSES).describe('State of the post.'),
  url: z.string().nullable().describe('Permalink; null when there is none.'),
  scheduledFor: timestampOutput('When it is to go out; null for an immediate post.').nullable(),
  createdAt: timestampOutput('When it was accepted.'),
  platformPostId: z.string().nullable().describe('The platform’s own id; null while it is not on a platform.'),
  deletedAt: timestampOutput('When it was taken down; null otherwise.').nullable(),
  error: ItemError.nullable().describe('Why it failed; null otherwise.'),
  tags: z.array(z.string()).describe('Tags of the post.'),
  profileId: uuidOutput('Profile it was written under; null for the caller’s own.').nullable(),
  approval: Approval.nullable().describe('The latest request for approval; null when it never needed one.'),
};

/** Where a post goes, and when it went out. */
const sendFields = {
  connectionId: uuidOutput('Id of the connection it goes to.'),
  platformId: z.string().describe('Platform it goes to.'),
  sentAt: timestampOutput('When it went out; null before.').nullable(),
};

export const Post = z.strictObject(postFields).meta({ id: 'Post', description: 'A post to one connection.' });

const PostImage = z
  .strictObject({
    id: uuidOutput('Id of the image.'),
    altText: z.string().nullable().describe('What the image shows; null when nothing was said.'),
    contentType: ImageContentType.describe('Type of the image.'),
    width: z.int().describe('Pixels from side to side.'),
    height: z.int().describe('Pixels from top to bottom.'),
    url: z
      .string()
      .nullable()
      .describe('URL of the image, readable with the key; null when the image was freed or the key cannot read it.'),
  })
  .meta({ id: 'PostImage', description: 'An image of a post.' });

export const PostDetail = z
  .strictObject({
    ...postFields,
    ...sendFields,
    thread: z.array(z.string()).describe('Replies under the post, in order.'),
    firstComment: z.string().nullable().describe('Comment under the post; null for none.'),
    media: z.array(PostImage).describe('Images, in order.'),
    rewrite: z.boolean().nullable().describe('Whether AI polish was asked for; null where the post does not say.'),
    threadCount: z.int().describe('Replies that are up.'),
    hasFirstComment: z.boolean().describe('Whether the first comment is up.'),
    tries: z.int().describe('How often sending it was begun.'),
    createdBy: z
      .strictObject({
        kind: z.enum(APPROVAL_ACTORS).describe('A key, the OAuth grant of an agent, or a person.'),
        id: uuidOutput('Id of it.'),
        name: z.string().nullable().describe('Name of the key or agent, or email address; null when it is gone.'),
        onBehalfOf: z
          .string()
          .nullable()
          .describe('Email address of the person who allowed the agent; null for keys and people.'),
      })
      .nullable()
      .describe('Who created it; null for a post from before this was stored.'),
    stopId: uuidOutput('The stop that holds it, as GET /stops lists it; null when none does.').nullable(),
  })
  .meta({ id: 'PostDetail', description: 'A post to one connection, with all that was written.' });

const { id, text, connectionSlug, scheduledFor, error, tags, profileId } = postFields;
const { connectionId, platformId, sentAt } = sendFields;

export const CalendarPost = z
  .strictObject({
    id,
    text,
    status: z.enum(CALENDAR_STATUSES).describe('State of the post.'),
    at: timestampOutput(
      'When it goes out or went out: sentAt of a sent post, otherwise scheduledFor, or without it when the post was accepted.',
    ),
    scheduledFor,
    sentAt,
    connectionId,
    connectionSlug,
    platformId,
    profileId,
    queued: z.boolean().describe('Whether its time is a slot of the queue of its connection.'),
    tags,
    error,
  })
  .meta({ id: 'CalendarPost', description: 'A post in a calendar.' });

export const PostResult = z
  .strictObject({
    connectionSlug: z.string().describe('Slug the result is for.'),
    status: z.enum(['sent', 'scheduled', 'draft', 'failed']).describe('Result of the post on this connection.'),
    postId: uuidOutput('Id of the stored post; null when nothing was stored.').nullable(),
    url: z.string().nullable().describe('Permalink; null for scheduled posts and when there is none.'),
    scheduledFor: timestampOutput('When it will go out; null otherwise.').nullable(),
    threadCount: z.int().describe('Replies that went out.'),
    hasFirstComment: z.boolean().describe('Whether a first comment went out.'),
    error: ItemError.nullable().describe('Why it failed; null otherwise.'),
    warning: z
      .string()
      .optional()
      .describe('Why AI polish failed, when it was asked for and the original text was posted; absent otherwise.'),
    approval: Approval.optional().describe(
      'Present when the post waits for approval: nothing has gone out, and an owner decides.',
    ),
  })
  .meta({ id: 'PostResult', description: 'Result of a post on one connection.' });
