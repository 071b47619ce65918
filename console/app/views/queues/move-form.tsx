/** Asks where a scheduled post is to go: the next free slot, a chosen free slot, or a time. */
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { zonedTime } from '../../ui/day-words.ts';
import { NativeField } from '../../ui/native-field.tsx';
import { RadioChoice } from '../../ui/radio-choice.tsx';
import { Select } from '../../ui/select.tsx';
import { instantOf, wallAt } from '../../ui/zoned.ts';
import type { MovablePost, Target } from './use-move.ts';

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
  const [wall, setWall] = useState(() => {
    const { day, time } = wallAt(Date.parse(post.scheduledFor), zone);
    return `${day}T${time}`;
  });
  const ways: { value: Way; label: string }[] = [{ value: 'time', label: 'A time' }];
  if (freeSlots.length > 0)
    ways.push({ value: 'next slot', label: 'The next free slot' }, { value: 'slot', label: 'A free slot' });
  const [day = '', time = ''] = wall.split('T');
  const target = {
    'next slot': 'next slot',
    slot: Number(slot),
    time: instantOf({ day, time: time.slice(0, 5) }, zone),
  } as const;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onMove(target[way]);
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
        <NativeField
          type="datetime-local"
          label="Date and time"
          value={wall}
          hint={`In the time zone ${zone}`}
          onChange={setWall}
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
        <Button type="submit" look="primary" isDisabled={way === 'time' && time === ''}>
          Move
        </Button>
        <Button slot="close">Close</Button>
      </div>
    </form>
  );
}
