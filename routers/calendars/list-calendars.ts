/** GET /calendars: the calendars that a key manages, newest first. */
import { z } from 'zod';
import { CALENDARS_PER_ACCOUNT } from '../../services/calendars/create-calendar.ts';
import { listCalendars as list } from '../../services/calendars/list-calendars.ts';
import { pageInput, pageOutput } from '../schemas/common.ts';
import { Calendar } from '../schemas/calendar.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({
  ...pageInput('calendars', CALENDARS_PER_ACCOUNT),
});

const Output = z.strictObject({
  calendars: z.array(Calendar).describe('The calendars, newest first.'),
  ...pageOutput(),
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
