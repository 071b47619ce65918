/** Computes slots by brute force: every day of the range, every slot, one Temporal call each. */
import { ms } from './journal.ts';
import type { ConnectionRow } from './journal.ts';
import type { Replica } from './replica.ts';

const DAY_MS = 86_400_000;
const HORIZON_MS = 30 * DAY_MS;

const known = new Map<string, number[]>();

/** Slots from `from` to `to`, ascending, each once. */
function slotsBetween(connection: ConnectionRow, from: number, to: number): number[] {
  const { timezone, queue_slots: slots } = connection;
  const first = Math.floor(from / DAY_MS) - 2;
  const days = Math.ceil((to - from) / DAY_MS) + 4;
  const instants = new Set<number>();
  for (let day = first; day < first + days; day += 1) {
    for (const instant of slotsOfDay(day, timezone, slots)) instants.add(instant);
  }
  return [...instants].filter((instant) => instant > from && instant <= to).toSorted((a, b) => a - b);
}

function slotsOfDay(day: number, timezone: string, slots: ConnectionRow['queue_slots']): number[] {
  const key = `${day} ${timezone} ${JSON.stringify(slots)}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const date = new Date(day * DAY_MS).toISOString().slice(0, 10);
  const weekday = new Date(day * DAY_MS).getUTCDay();
  const found = slots
    .filter((slot) => slot.weekday === weekday)
    .map(({ time }) => Temporal.PlainDateTime.from(`${date}T${time}`).toZonedDateTime(timezone).epochMilliseconds);
  known.set(key, found);
  return found;
}

/**
 * The slot that a post must get at `at`: the first one that is allowed and not held by a waiting post; null when there is none
 * in 30 days.
 */
export function expectedSlot(
  replica: Replica,
  connection: ConnectionRow,
  at: number,
  except: string,
  allows: (slot: number) => boolean = () => true,
): number | null {
  const taken = new Set(
    replica
      .ofConnection(connection.id)
      .filter(({ id, status }) => id !== except && status === 'scheduled')
      .flatMap(({ slot_at }) => (slot_at === null ? [] : [ms(slot_at)])),
  );
  return slotsBetween(connection, at, at + HORIZON_MS).find((slot) => !taken.has(slot) && allows(slot)) ?? null;
}
