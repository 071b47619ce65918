/** Gives a process that does not measure time a lower priority than those that do. */
import type { ChildProcess } from 'node:child_process';
import { setPriority } from 'node:os';

const BEHIND = 15;

/** Its own children inherit it. */
export function yieldTo({ pid }: ChildProcess): void {
  if (pid !== undefined) setPriority(pid, BEHIND);
}
