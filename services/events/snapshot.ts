/** A snapshot of the database as text, `oldest:end:running,…`, and with its time, `…@seconds`: which transactions were over at a moment. Pure. */

export interface Snapshot {
  /** The original text. */
  readonly text: string;
  /** The oldest running transaction; all earlier ones were over. */
  readonly oldest: bigint;
  /** The first transaction that had not begun. */
  readonly end: bigint;
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
  const snapshot = { text, oldest: BigInt(oldest), end: BigInt(end) };
  if (snapshot.oldest === 0n || snapshot.oldest > snapshot.end) return null;
  const all = running === '' ? [] : running.split(',').map(BigInt);
  const isInOrder = all.every((id, index) => id >= (all[index - 1] ?? snapshot.oldest) && id < snapshot.end);
  return isInOrder ? snapshot : null;
}

/** `<snapshot>@<Unix seconds>`. */
const POSITION = /^([\d:,]+)@(\d{1,12})$/;

/** @param snapshot its text @param at when a reader had this position */
export function writePosition({ snapshot, at }: { readonly snapshot: string; readonly at: Date }): string {
  return `${snapshot}@${Math.floor(at.getTime() / 1000)}`;
}

/** @returns null for a text that {@link writePosition} does not write */
export function readPosition(text: string): { readonly snapshot: Snapshot; readonly at: Date } | null {
  const [, written = '', seconds = ''] = POSITION.exec(text) ?? [];
  const snapshot = readSnapshot(written);
  return snapshot === null ? null : { snapshot, at: new Date(Number(seconds) * 1000) };
}
