/**
 * The manual clock of an install. It continues from the instant that an earlier run on this DATA_DIR had reached
 * (docs/contract/running.md#manual-clock).
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../services/config.ts';
import { createManualClock, type ManualClock, systemClock } from './clocks.ts';

/** Starts at the later of CLOCK_START (default: the real time) and the instant reached before. */
export function openManualClock(config: Config): ManualClock {
  const file = join(config.dataDir, 'simulation-clock');
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const start = config.clockStart ?? systemClock.now();
  const before = readInstant(file);
  const present = before !== null && before > start ? before : start;
  const keep = (instant: Date) => {
    // Written synchronously: rows with a later instant must not outlive the record of that instant.
    writeFileSync(`${file}.new`, instant.toISOString());
    // Atomic: a process that dies in between leaves the previous instant and not half a file.
    renameSync(`${file}.new`, file);
  };
  // The instant of a start counts as reached (docs/contract/running.md#health), because rows will be created at it.
  keep(present);
  return createManualClock(present, keep);
}

function readInstant(file: string): Date | null {
  try {
    const instant = new Date(readFileSync(file, 'utf8').trim());
    return Number.isNaN(instant.getTime()) ? null : instant;
  } catch {
    return null;
  }
}
