/** GET /calendars: the calendars that a key manages, newest first. */
import { z } from 'zod';
import { CALENDARS_PER_ACCOUNT } from '../../services/calendars/create-calendar.ts';
import { listCalendars as list } from '../../services/calendars/list-calendars.ts';
import { cursorInput, nextCursorOutput } from '../schemas/common.ts';
import { Calendar } from '../schemas/calendar.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({
  limit: z
    .int()
    .min(1)
    .max(CALENDARS_PER_ACCOUNT)
    .default(CALENDARS_PER_ACCOUNT)
    .describe('How many calendars to give, 1 to 100. Default 100.'),
  cursor: cursorInput(),
});

const Output = z.strictObject({
  calendars: z.array(Calendar).describe('The calendars, newest first.'),
  limit: z.int().describe('The limit that was used.'),
  nextCursor: nextCursorOutput(),
});

export const listCalendars = keyedProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/calendars',
      tags: ['Calendars'],
      summary: 'List calendars',
      description: 'Lists the calendars within the reach of the key, newest first, without their addresses.',
    },
    access: 'key',
    scope: 'posts:read',
    errors: ['invalid_request'],
    tool: {
      name: 'list_calendars',
      toolset: 'files',
      title: 'List calendars',
      readOnly: true,
      destructive: false,
      idempotent: true,
      openWorld: false,
    },
  })
  .input(Input)
  .output(Output)
  .query(async ({ ctx, input }) => {
    const { items, nextCursor } = await list(ctx.services, ctx.caller, input);
    return { calendars: items, limit: input.limit, nextCursor };
  });
