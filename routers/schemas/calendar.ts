/** A private calendar on the wire (docs/contract/calendars.md#addresses). */
import { z } from 'zod';
import { timestampOutput, uuidInput, uuidOutput } from './common.ts';

export const CalendarIdInput = uuidInput('Id of the calendar.');

const fields = {
  id: uuidOutput('Id of the calendar.'),
  name: z.string().describe('What calendar applications call it.'),
  profileId: uuidOutput('The one profile that it shows; null for the whole account.').nullable(),
  connectionId: uuidOutput('The one connection that it shows; null for all.').nullable(),
  mode: z.enum(['live', 'test']).describe('test shows posts to sandboxes only.'),
  freeSlots: z.boolean().describe('Whether it shows free queue slots.'),
  createdAt: timestampOutput('When it was made.'),
  renewedAt: timestampOutput('When its address was made.'),
};

export const Calendar = z
  .strictObject(fields)
  .meta({ id: 'Calendar', description: 'A private calendar, without its address.' });

export const NewCalendar = z
  .strictObject({
    ...fields,
    url: z.string().describe('The address, to subscribe to in a calendar application. Shown this once.'),
  })
  .meta({ id: 'NewCalendar', description: 'A private calendar with its address, as making and renewing show it.' });
