/** A snapshot of the database as text, `oldest:end:running,…`, and with its time, `…@seconds`: which transactions were over at a moment. Pure. */

export interface Snapshot {
  /** The original text. */
  readonly text: string;
  /** The oldest running transaction; all earlier ones were over. */
  readonly oldest: bigint;
  /** The first transaction that had not begun. */
  readonly end: bigint;
  /** Transactions between the two that were running. */
  readonly running: readonly bigint[];
}

/** Allows up to 2,001 running transactions. */
const FORM = /^(\d{1,19}):(\d{1,19}):((?:\d{1,19}(?:,\d{1,19}){0,2000})?)$/;

/**
 * @returns null for a text that the database would refuse: it comes from a header, and must not make a later query fail
 */
export function readSnapshot(text: string): Snapshot | null {
  const found = FORM.exec(text);
  if (found === null) return null;
  const [, oldest = '', end = '', running = ''] = found;
  const all = running === '' ? [] : running.split(',').map(BigInt);
  const snapshot = { text, oldest: BigInt(oldest), end: BigInt(end), running: all };
  if (snapshot.oldest === 0n || snapshot.oldest > snapshot.end) return null;
  const isInOrder = all.every((id, index) => id >= (all[index - 1] ?? snapshot.oldest) && id < snapshot.end);
  return isInOrder ? snapshot : null;
}

/** The same snapshot for a reader that has everything before the transaction `from`. */
export function snapshotFrom({ end, running }: Snapshot, from: bigint): Snapshot {
  const [oldest, next] = [from, end > from ? end : from];
  const rest = running.filter((id) => id >= from);
  return { text: `${oldest}:${next}:${rest.join(',')}`, oldest, end: next, running: rest };
}

/** Whether a transaction was over that is later than one that was running, or than the oldest. */
export function hasGaps({ oldest, end, running }: Snapshot): boolean {
  return BigInt(running.length) < end - oldest;
}

/** `<snapshot>@<Unix seconds>`. */
const POSITION = /^([\d:,]+)@(\d{1,12})$/;

/** @param snapshot its text @param at when a reader had this position */
export function writePosition({ snapshot, at }: { readonly snapshot: string; readonly at: Date }): string {
  return `${snapshot}@${Math.floor(at.getTime() / 1000)}`;
}

/** `<event>/<snapshot>`. */
const EVENT_POSITION = /^([\da-fA-F-]{36})(?:\/([\d:,]+))?$/;

/**
 * @param snapshot from the transaction of the event on; null when no later transaction was over at the start
 * @returns the position after an event
 */
export function writeEventPosition(eventId: string, snapshot: Snapshot | null): string {
  return snapshot === null ? eventId : `${eventId}/${snapshot.text}`;
}

/** @returns null for a text that {@link writeEventPosition} does not write */
export function readEventPosition(text: string): { readonly id: string; readonly snapshot: Snapshot | null } | null {
  const [, id, written] = EVENT_POSITION.exec(text) ?? [];
  const snapshot = written === undefined ? null : readSnapshot(written);
  if (id === undefined || (written !== undefined && snapshot === null)) return null;
  return { id: id.toLowerCase(), snapshot };
}

/** @returns null for a text that {@link writePosition} does not write */
export function readPosition(text: string): { readonly snapshot: Snapshot; readonly at: Date } | null {
  const [, written = '', seconds = ''] = POSITION.exec(text) ?? [];
  const snapshot = readSnapshot(written);
  return snapshot === null ? null : { snapshot, at: new Date(Number(seconds) * 1000) };
}
