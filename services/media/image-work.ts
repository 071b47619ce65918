/** Keeps the heavy work on images to a few at a time: it runs on the threads that files and look-ups need too. */
import sharp from 'sharp';
import { createTurns } from '../turns.ts';

/** Images that are decoded side by side; each may take some 200 MB. */
const AT_ONCE = 2;

// Every image is decoded once or twice and never again.
sharp.cache(false);

const turns = createTurns(AT_ONCE);

/** Runs `work` when it is its turn. */
export function imageWork<Result>(work: () => Promise<Result>): Promise<Result> {
  return turns.take(work);
}
