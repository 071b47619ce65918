/** The sliding window in memory: exact for the one process that uses the embedded database. */
import { type RateLimiter, resetAfter, WINDOW_SECONDS } from './rate-limiter.ts';

/** How many requests pass between two sweeps of inactive buckets. */
const SWEEP_EVERY = 10_000;

export function createMemoryRateLimiter(limit: number): RateLimiter {
  /** Instants of the counted requests, oldest first, by bucket. */
  const buckets = new Map<string, number[]>();
  let untilSweep = SWEEP_EVERY;

  const sweep = (cutoff: number, latest: number) => {
    for (const [bucket, hits] of buckets) {
      const newest = hits.at(-1) ?? 0;
      if (newest <= cutoff || newest > latest) buckets.delete(bucket);
    }
    untilSweep = SWEEP_EVERY;
  };

  return {
    limit,
    take: async (bucket, now) => {
      const present = now.getTime();
      const cutoff = present - WINDOW_SECONDS * 1000;
      // A request counted a window ahead was counted before the clock was set back.
      const latest = present + WINDOW_SECONDS * 1000;
      untilSweep -= 1;
      if (untilSweep === 0) sweep(cutoff, latest);
      const hits = buckets.get(bucket) ?? [];
      const firstKept = hits.findIndex((hit) => hit > cutoff);
      hits.splice(0, firstKept === -1 ? hits.length : firstKept);
      while ((hits.at(-1) ?? 0) > latest) hits.pop();
      const allowed = hits.length < limit;
      if (allowed) hits.push(present);
      buckets.set(bucket, hits);
      return { allowed, limit, remaining: limit - hits.length, resetAt: resetAfter(new Date(hits[0] ?? present)) };
    },
  };
}
