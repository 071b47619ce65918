/** DELETE /calendars/{calendarId}: its address stops working. */
import { z } from 'zod';
import { revokeCalendar as revoke } from '../../services/calendars/revoke-calendar.ts';
import { CalendarIdInput } from '../schemas/calendar.ts';
import { uuidOutput } from '../schemas/common.ts';
import { keyedProcedure } from '../procedures.ts';

export const revokeCalendar = keyedProcedure
  .meta({
    openapi: {
      method: 'DELETE',
      path: '/calendars/{calendarId}',
      tags: ['Calendars'],
      summary: 'Revoke a calendar',
      description: 'Ends a calendar. Its address answers 404 at once; posts and queues stay as they are.',
    },
    access: 'key',
    scope: 'posts:write',
    errors: ['invalid_request', 'not_found'],
    tool: {
      name: 'revoke_calendar',
      toolset: 'files',
      title: 'Revoke a calendar',
      readOnly: false,
      destructive: true,
      idempotent: true,
      openWorld: false,
      confirmation: 'Revoke this calendar? Its address stops working for everyone who subscribes to it.',
    },
  })
  .input(z.strictObject({ calendarId: CalendarIdInput }))
  .output(z.strictObject({ id: uuidOutput('Id of the calendar.'), deleted: z.literal(true) }))
  .mutation(async ({ ctx, input }) => {
    await revoke(ctx.services, ctx.caller, input.calendarId);
    return { id: input.calendarId, deleted: true as const };
  });
