/** The totals of the window, each with its difference to the window before. */
import { useQuery } from '@tanstack/react-query';
import { type Inputs, useTRPC } from '../../data/trpc.ts';
import { Panel } from '../../ui/panel.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { countInWords, LOCALE } from '../../ui/times.ts';
import { METRIC_NAMES, nameOfDay, METRICS } from './metrics.ts';
import { type Analytics, windowBefore } from './search.ts';

export interface TotalsProps {
  readonly data: Analytics;
  /** What was asked for, to ask the same of the window before. */
  readonly filter: Inputs['analytics']['get'];
}

export function Totals({ data, filter }: TotalsProps) {
  const { totals } = data;
  const before = windowBefore(data);
  const query = useQuery(useTRPC().analytics.get.queryOptions({ ...filter, ...before }));
  return (
    <Panel title="Totals">
      <dl className="metrics">
        {METRICS.map((name) => (
          <div key={name}>
            <dt>{METRIC_NAMES[name]}</dt>
            <dd>{countInWords(totals[name])}</dd>
            {query.data !== undefined && (
              <dd className="difference">{difference(totals[name], query.data.totals[name])}</dd>
            )}
          </div>
        ))}
      </dl>
      {query.error !== null && <ProblemView failure={query.error} />}
      <p className="hint totals-note">
        Compared with {nameOfDay(before.from)} to {nameOfDay(before.to)}. Metrics were read for{' '}
        {countInWords(totals.readPosts)} of {countInWords(totals.posts)} posts. A post counts on the UTC day on which it
        went out, with its newest metrics, so the metrics of new posts still grow.
      </p>
      <p className="hint">
        “Not reported” means that no platform reported the impressions of these posts; it does not mean zero. The other
        metrics count as zero where a platform does not report them.
      </p>
    </Panel>
  );
}

const signed = new Intl.NumberFormat(LOCALE, { signDisplay: 'exceptZero' });
const share = new Intl.NumberFormat(LOCALE, { style: 'percent', signDisplay: 'exceptZero', maximumFractionDigits: 0 });

/** Such as "+12 (+20%)". There is no percentage of zero. */
function difference(value: number | null, before: number | null): string {
  if (value === null || before === null) return 'not comparable';
  if (value === before) return 'no change';
  const grown = signed.format(value - before);
  return before === 0 ? grown : `${grown} (${share.format((value - before) / before)})`;
}
