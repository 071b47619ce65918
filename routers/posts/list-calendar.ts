/** GET /calendar: posts by the time at which they go out or went out (docs/contract/scheduling.md#calendar). */
import { z } from 'zod';
import { PLATFORM_IDS } from '../../services/platforms/platform-ids.ts';
import { readTimeCursor, TIME_CURSOR_MAX } from '../../services/posts/time-cursor.ts';
import { CALENDAR_PAGE_MAX, listCalendar as list, RANGE_MAX_DAYS } from '../../services/posts/list-calendar.ts';
import { normaliseTag, TAG_MAX, TAGS_MAX } from '../../services/posts/tags.ts';
import { momentInput, nextCursorOutput, storableText, textInput, uuidInput } from '../schemas/common.ts';
import { endOf, startOf } from '../schemas/moment.ts';
import { CalendarPost } from '../schemas/post.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({
  from: momentInput('First UTC day or instant.'),
  to: momentInput(`Last UTC day or instant, with it; at most ${RANGE_MAX_DAYS} days in all.`),
  profileId: uuidInput('Only posts of this profile.').optional(),
  connection: storableText(z.string().min(1).max(200))
    .optional()
    .describe('Only posts to this connection, by id or slug.'),
  platform: z.enum(PLATFORM_IDS).optional().describe('Only posts to this platform, by its platformId.'),
  tag: z
    .array(textInput(TAG_MAX).transform(normaliseTag))
    .max(TAGS_MAX)
    .optional()
    .describe('Only posts that have all of these tags.'),
  limit: z
    .int()
    .min(1)
    .max(CALENDAR_PAGE_MAX)
    .default(CALENDAR_PAGE_MAX)
    .describe(`How many items to give, 1 to ${CALENDAR_PAGE_MAX}. Default ${CALENDAR_PAGE_MAX}.`),
  cursor: textInput(TIME_CURSOR_MAX)
    .refine((text) => readTimeCursor(text) !== null, 'the nextCursor of a page of the calendar')
    .optional()
    .describe('The nextCursor of the page before: the list goes on after it.'),
});

const Output = z.strictObject({
  posts: z.array(CalendarPost).describe('The posts, earliest first, one per connection.'),
  nextCursor: nextCursorOutput(),
});

export const listCalendar = keyedProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/calendar',
      tags: ['Posts'],
      summary: 'List the posts of a calendar',
      description:
        'Lists the posts that go out or went out in a range of time, earliest first: scheduled posts and those being sent, sent posts, and failed ones. Page with cursor.',
    },
    access: 'key',
    scope: 'posts:read',
    errors: ['invalid_request'],
    tool: {
      name: 'list_calendar',
      toolset: 'queues',
      title: 'List the posts of a calendar',
      readOnly: true,
      destructive: false,
      idempotent: true,
      openWorld: false,
    },
  })
  .input(Input)
  .output(Output)
  .query(({ ctx, input: { from, to, cursor, ...filter } }) =>
    list(ctx.services, ctx.caller, {
      ...filter,
      from: startOf(from),
      until: endOf(to),
      cursor: cursor === undefined ? undefined : (readTimeCursor(cursor) ?? undefined),
    }),
  );
