/** A post, and the result of a send, on the wire (spec: Post; POST /posts). */
import { z } from 'zod';
import { POST_STATUSES } from '../../entities/post.ts';
import { ItemError, storableText, timestampOutput, uuidOutput } from './common.ts';

/** Longest text that is taken at all; platforms set far smaller limits. */
const TEXT_MAX = 100_000;

/** Words to publish: trimmed, and then not empty. */
export const Words = storableText(z.string().trim().min(1).max(TEXT_MAX));

export const PostText = Words.describe(
  'Text of the post. Surrounding whitespace is removed; what remains must not be empty.',
);

export const Post = z
  .strictObject({
    id: uuidOutput('Id of the post.'),
    connectionSlug: z.string().describe('Slug of the connection it goes to.'),
    text: z.string().describe('What goes out, or went out.'),
    originalText: z.string().describe('What the caller sent.'),
    aiRewriteStatus: z
      .enum(['rewritten', 'failed', 'skipped'])
      .nullable()
      .describe(
        'What AI polish did: rewritten, failed (the original goes out), or skipped (a thread); null when the text was not touched.',
      ),
    status: z.enum(POST_STATUSES).describe('State of the post.'),
    url: z.string().nullable().describe('Permalink; null where there is none.'),
    scheduledFor: timestampOutput('When it is to go out; null for an immediate post.').nullable(),
    createdAt: timestampOutput('When it was accepted.'),
    platformPostId: z.string().nullable().describe('The platform’s own id; null while it is not on a platform.'),
    deletedAt: timestampOutput('When it was taken down; null otherwise.').nullable(),
    error: ItemError.nullable().describe('Why it failed; null otherwise.'),
    tags: z.array(z.string()).describe('Tags of the post.'),
    profileId: uuidOutput('Profile it was written under; null for the caller’s own.').nullable(),
  })
  .meta({ id: 'Post', description: 'A post to one connection.' });

export const PostResult = z
  .strictObject({
    connectionSlug: z.string().describe('Slug the result is for.'),
    status: z.enum(['sent', 'scheduled', 'draft', 'failed']).describe('What became of the post on this connection.'),
    postId: uuidOutput('Id of the stored post; null when nothing was stored.').nullable(),
    url: z.string().nullable().describe('Permalink; null for scheduled posts and where there is none.'),
    scheduledFor: timestampOutput('When it will go out; null otherwise.').nullable(),
    threadCount: z.int().describe('Replies that went out.'),
    hasFirstComment: z.boolean().describe('Whether a first comment went out.'),
    warning: z
      .string()
      .optional()
      .describe('Why AI polish failed, when it was asked for and the original text was posted; absent otherwise.'),
    error: ItemError.nullable().describe('Why it failed; null otherwise.'),
  })
  .meta({ id: 'PostResult', description: 'What became of a post on one connection.' });
