/** The slots of the week, a column for each day; on phones the days are below each other. */
import { Allowed } from '../../shell/rights.tsx';
import { Button } from '../../ui/button.tsx';
import { weekdayName } from '../../ui/day-words.ts';
import { X } from '../../ui/icons.tsx';
import { type Slot, WEEKDAYS } from './slots.ts';

export function WeekGrid({ slots, onRemove }: { slots: readonly Slot[]; onRemove(slot: Slot): void }) {
  const ofDay = (weekday: number) =>
    slots.filter((slot) => slot.weekday === weekday).toSorted((a, b) => a.time.localeCompare(b.time));
  return (
    <ul className="week-grid" aria-label="Slots of the week">
      {WEEKDAYS.map((weekday) => (
        <li key={weekday} className="week-day">
          <h3>{weekdayName(weekday)}</h3>
          {ofDay(weekday).length === 0 ? (
            <p className="hint">No slots</p>
          ) : (
            <ul aria-label={weekdayName(weekday)}>
              {ofDay(weekday).map((slot) => (
                <li key={slot.time} className="slot">
                  <time>{slot.time}</time>
                  <Allowed to="connections:write">
                    <Button
                      look="icon"
                      aria-label={`Remove the slot ${weekdayName(weekday)} ${slot.time}`}
                      onPress={() => onRemove(slot)}
                    >
                      <X aria-hidden size={16} />
                    </Button>
                  </Allowed>
                </li>
              ))}
            </ul>
          )}
        </li>
      ))}
    </ul>
  );
}
