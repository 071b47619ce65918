/** The hours of the week by the reactions to their posts: the best in words, and all of them as a table. */
import { useId } from 'react';
import { weekdayName, weekdayShort } from '../../ui/day-words.ts';
import { Panel } from '../../ui/panel.tsx';
import { countInWords } from '../../ui/times.ts';
import type { Analytics } from './search.ts';

type Times = NonNullable<Analytics['bestTimes']>;
type Hour = Times['hours'][number];

/** Monday first. */
const WEEK = [1, 2, 3, 4, 5, 6, 0];
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

export function BestTimes({ times }: { times: Times }) {
  const { timezone, posts, minPosts, best, hours, note } = times;
  const caption = useId();
  const byHour = new Map(hours.map((hour) => [`${hour.weekday} ${hour.hour}`, hour]));
  const most = Math.max(1, ...hours.map(({ medianReactions }) => medianReactions));
  return (
    <Panel title="Best times">
      {note === null ? (
        <ol className="best-times">
          {best.map((hour) => (
            <li key={`${hour.weekday} ${hour.hour}`}>
              <b>
                {weekdayName(hour.weekday)} {clockOf(hour.hour)}
              </b>{' '}
              {countInWords(hour.medianReactions)} reactions, the median of {hour.posts} posts
            </li>
          ))}
        </ol>
      ) : (
        <p role="note">{note}</p>
      )}
      <p className="hint">
        Reactions are likes, reposts, replies and clicks together, a day after sending, of {countInWords(posts)} posts.
        Hours are in {timezone}. An hour with fewer than {minPosts} posts is in brackets: it says little. Platforms
        differ in how many people see a post, so choose one to compare like with like.
      </p>
      {hours.length > 0 && (
        <div className="hours-scroll" tabIndex={0} role="group" aria-labelledby={caption}>
          <table className="hours-table">
            <caption id={caption}>Median reactions by weekday and hour; small: posts that it rests on</caption>
            <thead>
              <tr>
                <th scope="col">Hour</th>
                {WEEK.map((weekday) => (
                  <th key={weekday} scope="col" abbr={weekdayName(weekday)}>
                    {weekdayShort(weekday)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {HOURS.map((hour) => (
                <tr key={hour}>
                  <th scope="row">{clockOf(hour)}</th>
                  {WEEK.map((weekday) => (
                    <td key={weekday}>
                      <HourCell hour={byHour.get(`${weekday} ${hour}`)} minPosts={minPosts} most={most} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}

function HourCell({ hour, minPosts, most }: { hour: Hour | undefined; minPosts: number; most: number }) {
  if (hour === undefined) return null;
  const value = countInWords(hour.medianReactions);
  return (
    <>
      {hour.posts < minPosts ? `(${value})` : value}{' '}
      <small>
        {hour.posts}
        <span className="visually-hidden"> {hour.posts === 1 ? 'post' : 'posts'}</span>
      </small>
      <span className="bar-track" aria-hidden>
        <span className="bar" style={{ inlineSize: `${(100 * hour.medianReactions) / most}%` }} />
      </span>
    </>
  );
}

function clockOf(hour: number): string {
  return `${String(hour).padStart(2, '0')}:00`;
}
