/** Adds a time to some days of the week. */
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { weekdayName } from '../../ui/day-words.ts';
import { NativeField } from '../../ui/native-field.tsx';
import { isSameSlot, type Slot, SLOTS_MAX, WEEKDAYS } from './slots.ts';

const WORKDAYS: readonly number[] = [1, 2, 3, 4, 5];

export function SlotForm({ slots, onAdd }: { slots: readonly Slot[]; onAdd(slots: Slot[]): void }) {
  const [days, setDays] = useState(WORKDAYS);
  const [time, setTime] = useState('09:00');
  const added = days
    .map((weekday) => ({ weekday, time: time.slice(0, 5) }))
    .filter((slot) => !slots.some((other) => isSameSlot(slot, other)));
  const isTooMany = slots.length + added.length > SLOTS_MAX;
  return (
    <form
      className="slot-form"
      onSubmit={(event) => {
        event.preventDefault();
        onAdd(added);
      }}
    >
      <fieldset className="slot-days">
        <legend>Add a time on</legend>
        {WEEKDAYS.map((weekday) => (
          <Checkbox
            key={weekday}
            isSelected={days.includes(weekday)}
            onChange={(isOn) => setDays(isOn ? [...days, weekday] : days.filter((day) => day !== weekday))}
          >
            {weekdayName(weekday)}
          </Checkbox>
        ))}
      </fieldset>
      <NativeField type="time" label="Time" value={time} onChange={setTime} />
      <Button type="submit" look="primary" isDisabled={time === '' || added.length === 0 || isTooMany}>
        Add slots
      </Button>
      {isTooMany && <p className="hint">A queue has at most {SLOTS_MAX} slots.</p>}
    </form>
  );
}
