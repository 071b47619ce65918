/** Running totals over time as lines, and the same values as a table. Drawn here: the console's charts are larger than the view. */
import { useId } from 'react';
import type { Outputs } from '../../data/api-types.ts';
import { POST_METRICS } from '../../data/post-metrics.ts';
import { zonedTime } from '../../ui/day-words.ts';
import { countInWords } from '../../ui/times.ts';

type History = Outputs['posts']['metrics']['history'];

const WIDTH = 300;
const HEIGHT = 100;

/** Dashes distinguish lines without color. */
const DASHES = ['', '8 4', '2 3', '12 4 2 4', '4 4'];

export function GrowthChart({ history, zone }: { history: History; zone: string }) {
  const caption = useId();
  const reported = POST_METRICS.filter(([name]) => history.some((read) => read[name] !== null));
  const most = Math.max(1, ...history.flatMap((read) => reported.map(([name]) => read[name] ?? 0)));
  const first = Date.parse(history[0]?.fetchedAt ?? '');
  const span = Math.max(1, Date.parse(history.at(-1)?.fetchedAt ?? '') - first);
  const pointOf = (fetchedAt: string, value: number) =>
    `${(((Date.parse(fetchedAt) - first) / span) * WIDTH).toFixed(1)},${(HEIGHT - (value / most) * HEIGHT).toFixed(1)}`;
  return (
    <figure className="chart" aria-labelledby={caption}>
      <figcaption id={caption}>Running totals, at most {countInWords(most)}</figcaption>
      <ul className="chart-legend" aria-hidden>
        {reported.map(([name, label], index) => (
          <li key={name}>
            <svg width="28" height="8">
              <line x1="0" x2="28" y1="4" y2="4" className={`series-${index + 1}`} strokeDasharray={DASHES[index]} />
            </svg>
            {label}
          </li>
        ))}
      </ul>
      <svg className="growth" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden>
        {reported.map(([name], index) => (
          <polyline
            key={name}
            className={`series-${index + 1}`}
            strokeDasharray={DASHES[index]}
            points={history
              .flatMap((read) => (read[name] === null ? [] : [pointOf(read.fetchedAt, read[name])]))
              .join(' ')}
          />
        ))}
      </svg>
      <details>
        <summary>The values as a table</summary>
        <div className="table-scroll" tabIndex={0} role="group" aria-labelledby={caption}>
          <table>
            <thead>
              <tr>
                <th scope="col">Time</th>
                {reported.map(([name, label]) => (
                  <th key={name} scope="col">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {history.map((read) => (
                <tr key={read.fetchedAt}>
                  <th scope="row">{zonedTime(Date.parse(read.fetchedAt), zone)}</th>
                  {reported.map(([name]) => (
                    <td key={name}>{countInWords(read[name])}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}
