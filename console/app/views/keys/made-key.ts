/** A key that was just made, with its secret. */
import type { Outputs } from '../../data/trpc.ts';

export type MadeKey = Outputs['keys']['mint'];
