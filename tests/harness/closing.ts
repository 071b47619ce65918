/** What a test file has opened outside of its tests, and in hooks that come before them; close-all.ts closes it when the file is over. */
import { onTestFinished } from 'vitest';

const open = new Set<() => Promise<void>>();

/** Calls it when the test is over that is running or, outside of one, when the file is. */
export function whenOver(close: () => Promise<void>): void {
  try {
    onTestFinished(close);
  } catch {
    // No test is running. A hook that is registered from within another hook is never called.
    open.add(close);
  }
}

/** The latest first, since it may depend on the others. */
export async function closeAll(): Promise<void> {
  const closing = [...open].toReversed();
  open.clear();
  for (const close of closing) await close();
}
