/** POST /calendars/{calendarId}/renew: a new address; the previous one stops working at once. */
import { z } from 'zod';
import { renewCalendar as renew } from '../../services/calendars/renew-calendar.ts';
import { CalendarIdInput, NewCalendar } from '../schemas/calendar.ts';
import { keyedProcedure } from '../procedures.ts';

export const renewCalendar = keyedProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/calendars/{calendarId}/renew',
      tags: ['Calendars'],
      summary: 'Renew the address of a calendar',
      description:
        'Gives a calendar a new address, which is in this answer only. The previous address stops working at once, so every application must subscribe again. A key with scopes also needs posts:read, and connections:read for free slots.',
    },
    access: 'key',
    scope: 'posts:write',
    errors: ['invalid_request', 'not_found'],
    tool: {
      name: 'renew_calendar',
      toolset: 'files',
      title: 'Renew the address of a calendar',
      readOnly: false,
      destructive: true,
      idempotent: false,
      openWorld: false,
    },
  })
  .input(z.strictObject({ calendarId: CalendarIdInput }))
  .output(z.strictObject({ calendar: NewCalendar }))
  .mutation(async ({ ctx, input }) => ({ calendar: await renew(ctx.services, ctx.caller, input.calendarId) }));
