/** Operations on private calendars. */
import { router } from '../procedures.ts';
import { createCalendar } from './create-calendar.ts';
import { listCalendars } from './list-calendars.ts';
import { renewCalendar } from './renew-calendar.ts';
import { revokeCalendar } from './revoke-calendar.ts';

export const calendarsRouter = router({
  create: createCalendar,
  list: listCalendars,
  renew: renewCalendar,
  revoke: revokeCalendar,
});
