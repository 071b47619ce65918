/**
 * Resources that a test file opened outside of its tests, and in earlier hooks. close-all.ts closes them when the file
 * ends.
 */
import { onTestFinished } from 'vitest';

const open = new Set<() => Promise<void>>();

/** Runs the function when the current test ends or, outside of a test, when the file ends. */
export function whenOver(close: () => Promise<void>): void {
  try {
    onTestFinished(close);
  } catch {
    // No test is running. A hook registered within another hook is never called.
    open.add(close);
  }
}

/** The latest first, because it may depend on the others. */
export async function closeAll(): Promise<void> {
  const closing = [...open].toReversed();
  open.clear();
  for (const close of closing) await close();
}
