/** The randomness of a running install. */
import { randomBytes } from 'node:crypto';
import type { Clock, Random } from '../services/clock.ts';
import { createIds } from '../services/ids.ts';

/** Unpredictable bytes from the system, and ids that sort by the clock's time. */
export function systemRandom(clock: Clock): Random {
  return { bytes: (length) => randomBytes(length), uuid: createIds(() => clock.now().getTime(), drawn(4_096)) };
}

/** Takes bytes from a buffer of `size`, because each call to the system costs as much as filling the whole buffer. */
function drawn(size: number): (length: number) => Uint8Array {
  let stock = Buffer.alloc(0);
  return (length) => {
    if (stock.length < length) stock = randomBytes(size);
    const taken = stock.subarray(0, length);
    stock = stock.subarray(length);
    return taken;
  };
}
