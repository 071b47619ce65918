/** The metrics of some rows, such as platforms: bars for the eye, and the same values as a table. */
import { useId } from 'react';
import { Panel } from '../../ui/panel.tsx';
import { countInWords } from '../../ui/times.ts';
import { METRIC_NAMES, METRICS, type Metrics } from './metrics.ts';

export interface BarPanelProps {
  readonly title: string;
  readonly caption: string;
  /** Heading of the names, such as "Platform". */
  readonly heading: string;
  readonly rows: readonly (Metrics & { readonly name: string })[];
  /** Below the heading. */
  readonly hint?: string | undefined;
}

/** The table has all rows, the bars the first. */
const BARS_MAX = 10;

export function BarPanel({ title, caption, heading, rows, hint }: BarPanelProps) {
  const id = useId();
  return (
    <Panel title={title}>
      {hint !== undefined && <p className="hint">{hint}</p>}
      <figure className="chart" aria-labelledby={id}>
        <figcaption id={id}>{caption}</figcaption>
        <div className="bar-charts" aria-hidden>
          {METRICS.map((metric) => (
            <BarChart
              key={metric}
              title={METRIC_NAMES[metric]}
              bars={rows.slice(0, BARS_MAX).map((row) => ({ label: row.name, value: row[metric] }))}
            />
          ))}
        </div>
        <details>
          <summary>{caption} as a table</summary>
          <div className="table-scroll" tabIndex={0} role="group" aria-labelledby={id}>
            <table>
              <thead>
                <tr>
                  <th scope="col">{heading}</th>
                  {METRICS.map((metric) => (
                    <th key={metric} scope="col">
                      {METRIC_NAMES[metric]}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {rows.map((row) => (
                  <tr key={row.name}>
                    <th scope="row">{row.name}</th>
                    {METRICS.map((metric) => (
                      <td key={metric}>{countInWords(row[metric])}</td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </details>
      </figure>
    </Panel>
  );
}

interface Bar {
  readonly label: string;
  readonly value: number | null;
}

function BarChart({ title, bars }: { title: string; bars: readonly Bar[] }) {
  const most = Math.max(1, ...bars.map(({ value }) => value ?? 0));
  return (
    <div>
      <p className="bar-title">{title}</p>
      {bars.map(({ label, value }) => (
        <div key={label} className="bar-row">
          <span>{label}</span>
          <span className="bar-track">
            <span className="bar" style={{ inlineSize: `${(100 * (value ?? 0)) / most}%` }} />
          </span>
          <span>{countInWords(value)}</span>
        </div>
      ))}
    </div>
  );
}
