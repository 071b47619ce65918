/**
 * Deadlocks of the worlds of this process. The product repeats such a transaction, so that no answer shows the order of locks
 * that caused it.
 */
let deadlocks: unknown[] = [];

export function noteDeadlock(error: unknown): void {
  deadlocks.push(error);
}

/** Those since the last call. */
export function takeDeadlocks(): readonly unknown[] {
  const taken = deadlocks;
  deadlocks = [];
  return taken;
}
