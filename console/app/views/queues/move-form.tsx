/** Asks where a scheduled post is to go: the next free slot, a chosen free slot, or a time. */
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { zonedTime } from '../../ui/day-words.ts';
import { instantOfField, type LocalTime, localTimeAt } from '../../ui/local-time.ts';
import { LocalTimeField } from '../../ui/local-time-field.tsx';
import { RadioChoice } from '../../ui/radio-choice.tsx';
import { Select } from '../../ui/select.tsx';
import type { MovablePost, Target } from './moves.ts';

export interface MoveFormProps {
  readonly post: MovablePost;
  readonly zone: string;
  /** Instants of the free slots of its connection. */
  readonly freeSlots: readonly number[];
  onMove(to: Target): void;
}

type Way = 'next slot' | 'slot' | 'time';

export function MoveForm({ post, zone, freeSlots, onMove }: MoveFormProps) {
  const [way, setWay] = useState<Way>('time');
  const [slot, setSlot] = useState(String(freeSlots[0] ?? ''));
  const [edited, setEdited] = useState<LocalTime | null>(null);
  const instant = Date.parse(post.scheduledFor);
  const ways: { value: Way; label: string }[] = [{ value: 'time', label: 'A time' }];
  if (freeSlots.length > 0)
    ways.push({ value: 'next slot', label: 'The next free slot' }, { value: 'slot', label: 'A free slot' });
  const target = {
    'next slot': 'next slot',
    // One that is taken or over meanwhile must be chosen anew.
    slot: freeSlots.includes(Number(slot)) ? Number(slot) : null,
    // The field has no seconds: a time that was not edited stays exactly what it is.
    time: edited === null ? instant : instantOfField(edited, zone),
  } as const;
  const to = target[way];
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (to !== null) onMove(to);
      }}
    >
      {ways.length > 1 && <RadioChoice<Way> label="Move to" choices={ways} value={way} onChange={setWay} />}
      {way === 'slot' && (
        <Select
          label="Free slot"
          value={slot}
          choices={freeSlots.map((instant) => ({ value: String(instant), label: zonedTime(instant, zone) }))}
          onChange={setSlot}
        />
      )}
      {way === 'time' && (
        <LocalTimeField
          value={edited ?? localTimeAt(instant, zone)}
          zone={zone}
          hint={`In the time zone ${zone}`}
          onChange={setEdited}
        />
      )}
      {way !== 'next slot' && post.isQueued && (
        <p className="hint">
          The post leaves the queue and keeps this time: pausing the queue does not hold it, and its slot becomes free.
        </p>
      )}
      {way === 'slot' && (
        <p className="hint">The time of the slot is taken over, and the slot stays free for the next queued post.</p>
      )}
      <div className="actions">
        <Button type="submit" look="primary" isDisabled={to === null}>
          Move
        </Button>
        <Button slot="close">Close</Button>
      </div>
    </form>
  );
}
