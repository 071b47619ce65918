/** When a post goes out, in the time zone of the person. */
import { zonedTime } from '../ui/day-words.ts';

export function GoesOut({ at, zone }: { at: string; zone: string }) {
  return (
    <p>
      Goes out <time dateTime={at}>{zonedTime(Date.parse(at), zone)}</time> <span className="soft">({zone})</span>
    </p>
  );
}
