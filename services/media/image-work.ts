/** Keeps the heavy work on images to a few at a time: it runs on the threads that files and look-ups need too. */
import sharp from 'sharp';

/** Images that are decoded side by side; each may take some 200 MB. */
const AT_ONCE = 2;

// Every image is decoded once or twice and never again.
sharp.cache(false);

let running = 0;
const waiting: (() => void)[] = [];

/** Runs `work` when it is its turn. */
export async function imageWork<Result>(work: () => Promise<Result>): Promise<Result> {
  if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}
