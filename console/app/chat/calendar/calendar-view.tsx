/** The posts of a week by day, and the weeks around it. */
import { dayInWords } from '../../ui/day-words.ts';
import { ChevronLeft, ChevronRight, CircleCheck, Clock, TriangleAlert } from '../../ui/icons.tsx';
import type { Icon } from '../../ui/icon.tsx';
import { type Day, timeAt, wallAt } from '../../ui/zoned.ts';
import { type ChatViewProps, Failure } from '../mount.tsx';
import { type CalendarAnswer, type CalendarPost, useWeek } from './use-week.ts';

const ICONS: Partial<Record<CalendarPost['status'], Icon>> = { sent: CircleCheck, failed: TriangleAlert };

export function CalendarView(props: ChatViewProps<CalendarAnswer>) {
  const { zone } = props;
  const { days, posts, isCut, isReading, failure, earlier, later } = useWeek(props);
  const byDay = Map.groupBy(posts, ({ at }) => wallAt(Date.parse(at), zone).day);
  return (
    <>
      <div className="week-head">
        <h2>
          {dayInWords(days[0] ?? '')}
          {days.length > 1 && ` to ${dayInWords(days.at(-1) ?? '')}`}
        </h2>
        <div className="week-steps">
          <Step label="Previous week" icon={ChevronLeft} go={earlier} />
          <Step label="Next week" icon={ChevronRight} go={later} />
        </div>
      </div>
      {failure !== null && <Failure>{failure}</Failure>}
      <ol className="week" aria-label="Days" aria-busy={isReading}>
        {days.map((day) => (
          <WeekDay key={day} day={day} posts={byDay.get(day) ?? []} zone={zone} />
        ))}
      </ol>
      {isCut && <p className="hint">There are more posts than these. Ask for a shorter range.</p>}
      <p className="hint">Times are those of {zone}.</p>
    </>
  );
}

/** @param go undefined when it does not lead anywhere */
function Step({ label, icon: Icon, go }: { label: string; icon: Icon; go: (() => void) | undefined }) {
  return (
    <button type="button" className="button button-icon" aria-label={label} disabled={go === undefined} onClick={go}>
      <Icon aria-hidden size={20} />
    </button>
  );
}

function WeekDay({ day, posts, zone }: { day: Day; posts: readonly CalendarPost[]; zone: string }) {
  return (
    <li>
      <h3>{dayInWords(day)}</h3>
      {posts.length === 0 ? (
        <p className="hint">No posts</p>
      ) : (
        <ul className="rows">
          {posts.map((post) => (
            <Row key={post.id} post={post} zone={zone} />
          ))}
        </ul>
      )}
    </li>
  );
}

function Row({ post: { text, status, at, connectionSlug, error }, zone }: { post: CalendarPost; zone: string }) {
  const Icon = ICONS[status] ?? Clock;
  return (
    <li className={`week-post week-post-${status}`}>
      <details>
        <summary>
          <Icon aria-hidden size={16} /> <time dateTime={at}>{timeAt(Date.parse(at), zone)}</time>{' '}
          <bdi className="week-text">{text}</bdi>
          <span className="visually-hidden">, {status}</span>
        </summary>
        <p className="soft">
          {status}, <bdi>{connectionSlug}</bdi>
        </p>
        <p className="post-text" dir="auto">
          {text}
        </p>
        {error !== null && (
          <p className="bad" dir="auto">
            {error.message}
          </p>
        )}
      </details>
    </li>
  );
}
