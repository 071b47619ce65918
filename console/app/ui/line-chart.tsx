/**
 * Lines over time. The drawing is loaded when a chart is shown; a table with the same values serves those who do not see
 * it. Charts are rare, so only views with a chart load the library.
 */
import { useEffect, useId, useRef } from 'react';
import type uPlot from 'uplot';
import { countInWords, exactTime, LOCALE } from './times.ts';

export interface Line {
  readonly label: string;
  /** One value per instant; null where there is none. */
  readonly values: readonly (number | null)[];
}

export interface LineChartProps {
  readonly title: string;
  /** ISO 8601 instants, ascending. */
  readonly instants: readonly string[];
  readonly lines: readonly Line[];
  /** How an instant is named in the table. */
  readonly instantName?: (instant: string) => string;
  /** Heading of the instants in the table. */
  readonly instantHeading?: string;
}

const HEIGHT = 220;

/** Steps between ticks: counts have no fractions. */
const STEPS = Array.from({ length: 12 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();

/** Dashes distinguish lines without color. */
const DASHES = [[], [8, 4], [2, 3], [12, 4, 2, 4], [4, 4]];

export function LineChart({
  title,
  instants,
  lines,
  instantName = exactTime,
  instantHeading = 'Time',
}: LineChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const caption = useId();
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const isOver = new AbortController();
    void draw(element, { instants, lines }, isOver.signal);
    return () => isOver.abort();
  }, [instants, lines]);

  return (
    <figure className="chart" aria-labelledby={caption}>
      <figcaption id={caption}>{title}</figcaption>
      <ul className="chart-legend" aria-hidden>
        {lines.map(({ label }, index) => (
          <li key={label}>
            <svg width="28" height="8">
              <line
                x1="0"
                x2="28"
                y1="4"
                y2="4"
                className={`series-${index + 1}`}
                strokeDasharray={dashOf(index).join(' ')}
              />
            </svg>
            {label}
          </li>
        ))}
      </ul>
      <div ref={place} className="chart-drawing" aria-hidden />
      <details>
        <summary>The values as a table</summary>
        <div className="table-scroll" tabIndex={0} role="group" aria-labelledby={caption}>
          <table>
            <thead>
              <tr>
                <th scope="col">{instantHeading}</th>
                {lines.map(({ label }) => (
                  <th key={label} scope="col">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {instants.map((instant, index) => (
                <tr key={instant}>
                  <th scope="row">{instantName(instant)}</th>
                  {lines.map(({ label, values }) => (
                    <td key={label}>{countInWords(values[index] ?? null)}</td>
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

function dashOf(index: number): number[] {
  return DASHES[index % DASHES.length] ?? [];
}

type Data = Pick<LineChartProps, 'instants' | 'lines'>;

async function draw(element: HTMLElement, { instants, lines }: Data, isOver: AbortSignal): Promise<void> {
  const [{ default: Plot }] = await Promise.all([import('uplot'), import('uplot/dist/uPlot.min.css')]);
  if (isOver.aborted) return;
  const data = [
    instants.map((instant) => new Date(instant).getTime() / 1_000),
    ...lines.map(({ values }) => [...values]),
  ] as uPlot.AlignedData;
  const paint = () => new Plot(optionsOf(element, lines), data, element);
  let plot = paint();
  const repaint = () => {
    plot.destroy();
    plot = paint();
  };
  const schemes = ['(prefers-color-scheme: dark)', '(prefers-contrast: more)'].map((query) => matchMedia(query));
  const sizes = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
  sizes.observe(element);
  for (const scheme of schemes) scheme.addEventListener('change', repaint, { signal: isOver });
  isOver.addEventListener('abort', () => {
    sizes.disconnect();
    plot.destroy();
  });
}

function optionsOf(element: HTMLElement, lines: readonly Line[]): uPlot.Options {
  const style = getComputedStyle(element);
  const token = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const axis = {
    stroke: token('soft'),
    grid: { stroke: token('line'), width: 1 },
    ticks: { stroke: token('line'), width: 1 },
  };
  const short = new Intl.NumberFormat(LOCALE, { notation: 'compact' });
  return {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { drag: { x: false, y: false } },
    scales: { y: { range: (_plot, _least, most) => [0, Math.max(1, most * 1.05)] } },
    axes: [axis, { ...axis, incrs: STEPS, values: (_plot, values) => values.map((value) => short.format(value)) }],
    series: [
      {},
      ...lines.map(({ label }, index) => ({
        label,
        stroke: token(`series-${index + 1}`),
        width: 2,
        dash: dashOf(index),
        spanGaps: true,
        points: { show: true, size: 5 },
      })),
    ],
  };
}
