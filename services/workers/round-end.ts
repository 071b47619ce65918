/**
 * When a round of a loop ends although work is left. Under a constant flow of work it would never end: the loop would count as
 * late, and what a round does first, such as the recovery of interrupted sends, would wait. The next round follows at once.
 */
import type { Clock } from '../clock.ts';

/** A round begins no further step after this long. */
const ROUND_MAX_MS = 30_000;

/** Whether the round that begins now is to end before its next step: it has lasted, or the process stops. */
export function roundEnd({ clock }: { readonly clock: Pick<Clock, 'elapsed'> }, signal: AbortSignal): () => boolean {
  const startedAt = clock.elapsed();
  return () => signal.aborted || clock.elapsed() - startedAt >= ROUND_MAX_MS;
}
