/** When a post goes out: now, at a time in a chosen zone, at the next free slot of each queue, or as a draft. */
import type { Connection } from '../../data/connections.ts';
import { instantOfField } from '../../ui/local-time.ts';
import { LocalTimeField } from '../../ui/local-time-field.tsx';
import { RadioChoice } from '../../ui/radio-choice.tsx';
import { dayAndTime, ZONE } from '../../ui/times.ts';
import { isZone, timeAt, wallAt } from '../../ui/zoned.ts';
import type { Composition, When as WhenValue } from './composition.ts';
import type { CompositionStore } from './store.ts';
import { LaterSelect } from './later-select.tsx';
import type { Verdict } from './use-verdicts.ts';

export interface WhenProps {
  readonly store: CompositionStore;
  readonly composition: Composition;
  readonly chosen: readonly Connection[];
  readonly verdicts: ReadonlyMap<string, Verdict>;
}

/** How many slots are named. */
const NAMED = 6;

const CHOICES: readonly { value: WhenValue; label: string }[] = [
  { value: 'now', label: 'Now' },
  { value: 'time', label: 'At a time' },
  { value: 'queue', label: 'Next free slot' },
  { value: 'draft', label: 'Keep as a draft' },
];

export function When(props: WhenProps) {
  const { store, composition } = props;
  return (
    <>
      <RadioChoice
        label="When"
        value={composition.when}
        choices={CHOICES}
        onChange={(when) => store.change({ when })}
      />
      {composition.when === 'time' && <AtTime {...props} />}
      {composition.when === 'queue' && <Slots {...props} />}
      {composition.when === 'draft' && (
        <p className="hint">One draft per connection, under Posts. Nothing goes out until it is published.</p>
      )}
    </>
  );
}

function AtTime({ store, composition, chosen }: WhenProps) {
  const { zone } = composition;
  const zones = [...new Set([ZONE, zone, ...chosen.map(({ timezone }) => timezone)])].filter(isZone);
  const instant = instantOfField(composition, zone);
  return (
    <>
      <LocalTimeField
        value={composition}
        zone={zone}
        hint="At most 30 days ahead."
        onChange={({ time, isSecond }) => store.change({ time, isSecond })}
      />
      {zones.length > 1 && (
        <LaterSelect
          label="Time zone"
          value={zone}
          choices={zones.map((value) => ({ value, label: value === ZONE ? `${value} (yours)` : value }))}
          onChange={(next) => store.change({ zone: next })}
        />
      )}
      <p className="hint">
        {zones.length === 1 && `In your time zone, ${ZONE}.`}
        {zones.length > 1 && instant !== null && `That is ${shownIn(instant, zones, zone)}.`}
      </p>
    </>
  );
}

/** The same instant on the clocks of the other zones. */
function shownIn(instant: number, zones: readonly string[], written: string): string {
  const others = zones.filter((zone) => zone !== written).slice(0, NAMED);
  return others.map((zone) => `${dayAndTimeIn(instant, zone)} in ${zone}`).join(', ');
}

function dayAndTimeIn(instant: number, zone: string): string {
  return `${wallAt(instant, zone).day} ${timeAt(instant, zone)}`;
}

function Slots({ chosen, verdicts }: WhenProps) {
  const slots = chosen.flatMap((connection) => {
    const at = verdicts.get(connection.id)?.scheduledFor ?? null;
    return at === null ? [] : [{ connection, at }];
  });
  if (chosen.length === 0) return <p className="hint">Choose connections to see their slots.</p>;
  return (
    <ul className="slots hint" aria-label="Slots" aria-live="polite">
      {slots.slice(0, NAMED).map(({ connection: { id, slug, timezone }, at }) => {
        const time = dayAndTimeIn(Date.parse(at), isZone(timezone) ? timezone : 'UTC');
        return (
          <li key={id}>
            <b>{slug}</b>: <time dateTime={at}>{dayAndTime(at)}</time> for you
            {timezone !== ZONE && `, ${time} in ${timezone}`}
          </li>
        );
      })}
      {slots.length > NAMED && <li>and {slots.length - NAMED} more</li>}
      {slots.length === 0 && <li>The service names the slots as soon as there is a text that fits.</li>}
    </ul>
  );
}
