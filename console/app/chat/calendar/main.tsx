/** Starts the calendar of a week. */
import { mountChatView } from '../mount.tsx';
import { CalendarView } from './calendar-view.tsx';

mountChatView('calendar', CalendarView);
