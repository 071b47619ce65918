/** /design: the design tokens and the components, for those who work on the console. */
import { useState } from 'react';
import { useTitle } from '../../shell/use-title.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { TextField } from '../../ui/field.tsx';
import { Bell } from '../../ui/icons.tsx';
import { LineChart } from '../../ui/line-chart.tsx';
import { Link } from '../../ui/link.tsx';
import { Moment } from '../../ui/moment.tsx';
import { NativeField } from '../../ui/native-field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ItemProblem } from '../../ui/problem-view.tsx';
import { RadioChoice } from '../../ui/radio-choice.tsx';
import { Select } from '../../ui/select.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { doUnlessUndone, toast } from '../../ui/toasts.tsx';
import './design.css';

/** Each color with what it is for. console/assets/tokens.css holds the values of the four schemes. */
const COLORS: readonly (readonly [token: string, use: string])[] = [
  ['ground', 'Behind everything'],
  ['surface', 'Panels, fields, dialogs'],
  ['sunken', 'Problems, hovered rows'],
  ['ink', 'Text'],
  ['soft', 'Hints and facts'],
  ['line', 'Lines between rows'],
  ['edge', 'Outlines of fields'],
  ['beam', 'The upper edge of panels'],
  ['accent', 'Links, main buttons, focus'],
  ['on-accent', 'Text on accent'],
  ['bronze', 'The present place'],
  ['good', 'Sent, works'],
  ['wait', 'Scheduled, in progress'],
  ['bad', 'Failed, cannot be undone'],
  ['series-1', 'First line of a chart'],
  ['series-2', 'Second line'],
  ['series-3', 'Third line'],
  ['series-4', 'Fourth line'],
  ['series-5', 'Fifth line'],
];

const DAYS = ['2026-11-02T00:00:00Z', '2026-11-03T00:00:00Z', '2026-11-04T00:00:00Z', '2026-11-05T00:00:00Z'];
const LINES = [
  { label: 'Impressions', values: [40, 90, 160, 180] },
  { label: 'Likes', values: [2, 12, 19, null] },
];

export function DesignView() {
  useTitle('Design');
  return (
    <>
      <h1>Design of the console</h1>
      <p className="hint">
        For those who work on it. Tokens are in <code>console/assets/tokens.css</code>, components in{' '}
        <code>console/app/ui</code>. Change the scheme of your system to see dark and high contrast.
      </p>
      <Panel title="Colors">
        <ul className="swatches">
          {COLORS.map(([token, use]) => (
            <li key={token}>
              <span className={`swatch swatch-${token}`} aria-hidden />
              <code>--{token}</code>
              <span className="hint">{use}</span>
            </li>
          ))}
        </ul>
      </Panel>
      <Panel title="Texts">
        <p className="design-page">Name of a view</p>
        <p className="design-title">Heading of a panel</p>
        <p>Body text, in the font of the system.</p>
        <p className="hint">A hint.</p>
        <p>
          <code>crl_live_…</code> in the font for code.
        </p>
      </Panel>
      <Controls />
      <Panel title="States">
        <p>
          {(['sent', 'scheduled', 'processing', 'draft', 'failed', 'cancelled'] as const).map((status) => (
            <span key={status}>
              <StatusBadge status={status} />{' '}
            </span>
          ))}
        </p>
        <p>
          A time: <Moment at="2026-11-02T09:00:00Z" />. Hover, focus or press it.
        </p>
        <ItemProblem error={{ code: 'queue_full', message: 'Every queue slot of the next 30 days is taken.' }} />
        <EmptyState icon={Bell} title="Nothing yet">
          An empty state says what would be here and how to begin.
        </EmptyState>
      </Panel>
      <Panel title="Chart">
        <LineChart title="Four days" instants={DAYS} lines={LINES} />
      </Panel>
    </>
  );
}

function Controls() {
  const [platform, setPlatform] = useState('a');
  const [text, setText] = useState('');
  const [day, setDay] = useState('');
  const choices = [
    { value: 'a', label: 'First' },
    { value: 'b', label: 'Second' },
  ];
  return (
    <Panel title="Controls">
      <div className="actions">
        <Button look="primary" onPress={() => toast('Done.')}>
          Primary
        </Button>
        <Button
          onPress={() =>
            doUnlessUndone(
              'Will be done.',
              () => toast('Done.'),
              () => toast('Left as it was.'),
            )
          }
        >
          With undo
        </Button>
        <Button look="danger">Danger</Button>
        <Button look="quiet">Quiet</Button>
        <Button isPending>Pending</Button>
        <Button isDisabled>Disabled</Button>
        <Link to="/" className="button button-plain">
          A link
        </Link>
      </div>
      <TextField label="A field" hint="With a hint." value={text} onChange={setText} />
      <NativeField label="A day" type="date" value={day} onChange={setDay} />
      <Select label="A choice" value={platform} choices={choices} onChange={setPlatform} />
      <RadioChoice label="Another choice" value={platform} choices={choices} onChange={setPlatform} />
      <Checkbox>A box</Checkbox>
    </Panel>
  );
}
