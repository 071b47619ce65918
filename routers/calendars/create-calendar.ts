/** POST /calendars: makes a private address that calendar applications subscribe to. */
import { z } from 'zod';
import { ServiceError } from '../../errors/service-error.ts';
import { createCalendar as create } from '../../services/calendars/create-calendar.ts';
import { storableText, uuidInput } from '../schemas/common.ts';
import { NewCalendar } from '../schemas/calendar.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({
  name: storableText(z.string().trim().min(1).max(100))
    .default('Carillon')
    .describe('What calendar applications call it, 1 to 100 characters. Default Carillon.'),
  profileId: uuidInput('Show only this profile. Left out, all that the key reaches.').optional(),
  connectionId: uuidInput('Show only this connection. Not together with profileId.').optional(),
  freeSlots: z.boolean().default(true).describe('Whether to show free queue slots. Default true.'),
});

export const createCalendar = keyedProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/calendars',
      tags: ['Calendars'],
      summary: 'Make a calendar',
      description:
        'Makes a private address of an iCalendar file, for calendar applications: posts of the past 60 days, scheduled posts and free queue slots of what the key reaches, of one profile or of one connection. Who has the address reads it without a key, so it is in this answer only, and ends with the key. An account may have 100 calendars. A key with scopes also needs posts:read, and connections:read for free slots.',
    },
    access: 'key',
    scope: 'posts:write',
    errors: ['invalid_request', 'not_found', 'limit_exceeded'],
    changes: { type: 'calendar', answer: 'calendar.id' },
    tool: {
      name: 'create_calendar',
      toolset: 'files',
      title: 'Make a calendar',
      readOnly: false,
      destructive: false,
      idempotent: false,
      openWorld: false,
    },
  })
  .input(Input)
  .output(z.strictObject({ calendar: NewCalendar }))
  .mutation(async ({ ctx, input }) => {
    if (input.profileId !== undefined && input.connectionId !== undefined) {
      throw new ServiceError(
        'invalid_request',
        'connectionId: cannot be combined with profileId; send one of the two.',
      );
    }
    return { calendar: await create(ctx.services, ctx.caller, input) };
  });
