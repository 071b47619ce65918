/** Randomness that is the same in every run: bytes are a hash of a seed and a counter. */
import { createHash } from 'node:crypto';
import type { Clock, Random } from '../../services/clock.ts';
import { createIds } from '../../services/ids.ts';

export function createSeededRandom(seed: string, clock: Clock): Random {
  let counter = 0;
  const bytes = (length: number): Buffer => {
    const blocks: Buffer[] = [];
    for (let size = 0; size < length; size += 32) {
      counter += 1;
      blocks.push(createHash('sha256').update(`${seed} ${counter}`).digest());
    }
    return Buffer.concat(blocks).subarray(0, length);
  };
  return { bytes, uuid: createIds(() => clock.now().getTime(), bytes) };
}
