/** GET /posts: the caller's posts, newest first. */
import { z } from 'zod';
import { POST_STATUSES } from '../../entities/post.ts';
import { listPosts as list } from '../../services/posts/list-posts.ts';
import { PLATFORM_IDS } from '../../services/platforms/platform-ids.ts';
import { normaliseTag, TAG_MAX, TAGS_MAX } from '../../services/posts/tags.ts';
import {
  cursorInput,
  momentInput,
  nextCursorOutput,
  pagination,
  storableText,
  textInput,
  uuidInput,
} from '../schemas/common.ts';
import { endOf, startOf } from '../schemas/moment.ts';
import { Post } from '../schemas/post.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({
  status: z.enum(POST_STATUSES).optional().describe('Only posts in this state.'),
  profileId: uuidInput('Only posts of this profile.').optional(),
  tag: z
    .array(textInput(TAG_MAX).transform(normaliseTag))
    .max(TAGS_MAX)
    .optional()
    .describe('Only posts that have all of these tags.'),
  connection: storableText(z.string().min(1).max(200))
    .optional()
    .describe('Only posts to this connection, by id or slug.'),
  platform: z.enum(PLATFORM_IDS).optional().describe('Only posts to this platform, by its platformId.'),
  from: momentInput('Posts accepted from this UTC day or instant on.').optional(),
  to: momentInput('Posts accepted up to this UTC day or instant, with it.').optional(),
  q: storableText(z.string().min(1).max(1000)).optional().describe('Only posts whose text has all of these words.'),
  ...pagination,
  cursor: cursorInput(),
});

const Output = z.strictObject({
  posts: z.array(Post).describe('The posts, newest first, one per connection.'),
  limit: z.int().describe('The limit that was used.'),
  offset: z.int().describe('The offset that was used.'),
  nextCursor: nextCursorOutput(),
});

export const listPosts = keyedProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/posts',
      tags: ['Posts'],
      summary: 'List posts',
      description: 'Lists posts in every state, newest first, one per connection. Page with cursor.',
    },
    access: 'key',
    scope: 'posts:read',
    errors: ['invalid_request'],
    tool: {
      name: 'list_posts',
      toolset: 'posting',
      title: 'List posts',
      readOnly: true,
      destructive: false,
      idempotent: true,
      openWorld: false,
    },
  })
  .input(Input)
  .output(Output)
  .query(async ({ ctx, input }) => {
    const { from, to, ...filter } = input;
    const bounds = {
      from: from === undefined ? undefined : startOf(from),
      until: to === undefined ? undefined : endOf(to),
    };
    const { posts, nextCursor } = await list(ctx.services, ctx.caller, { ...filter, ...bounds });
    return { posts, limit: input.limit, offset: input.offset, nextCursor };
  });
