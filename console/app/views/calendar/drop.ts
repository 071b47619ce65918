/** The places of the calendar as targets of a drag. */
import { dropPlace } from '../../ui/post-drag.ts';
import { useCalendar } from './calendar-context.ts';
import type { DropPlace } from './places.ts';

/** Properties of an element on which posts can be dropped. */
export function useDrop(place: DropPlace) {
  const { dropAt } = useCalendar();
  return dropPlace((postId) => dropAt(postId, place));
}
