/** UUIDv7 ids (RFC 9562, section 5.7) that also sort within a millisecond and when the clock is set back. */
import { v7 } from 'uuid';

/** Largest value of the 32-bit sequence that uuid accepts. */
const MAX_SEQUENCE = 0xffff_ffff;

/**
 * Creates the id source of one process.
 *
 * @param now milliseconds since 1970
 * @param bytes unpredictable bytes
 */
export function createIds(now: () => number, bytes: (length: number) => Uint8Array): () => string {
  let millisecond = 0;
  let sequence = 0;
  return () => {
    const present = now();
    if (present > millisecond) {
      millisecond = present;
      // Starting low in the range leaves capacity to count up within one millisecond.
      sequence = Buffer.from(bytes(4)).readUInt32BE() >>> 4;
    } else if (sequence === MAX_SEQUENCE) {
      millisecond += 1;
      sequence = 0;
    } else {
      sequence += 1;
    }
    return v7({ msecs: millisecond, seq: sequence, random: bytes(16) });
  };
}

/** The id that sorts before all ids made at or after an instant. */
export function earliestId(instant: Date): string {
  const hex = instant.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/** Maximum difference between the timestamp in an id and the instant at which its post is accepted. */
export const ID_SLACK_MS = 60_000;

/** Milliseconds since 1970 at which an id was made. */
export function acceptedAt(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}
