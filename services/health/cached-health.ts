/** Health and uptime as the public endpoints answer them: cached, so that requests cannot overload the database. */
import type { WithBackups } from '../backups/backup-schedule.ts';
import { cached } from '../cached.ts';
import type { Context } from '../context.ts';
import { type Health, readHealth } from './read-health.ts';
import { type HealthDay, readHistory } from './read-history.ts';
import type { WithStartup } from './startup.ts';

/** Seconds that an answer of GET /health is cached (docs/contract/running.md#health). */
const HEALTH_CACHE_SECONDS = 10;

/** Seconds that an answer of GET /health/history is cached (docs/contract/metrics.md#uptime). */
const HISTORY_CACHE_SECONDS = 60;

export interface WithHealth {
  /** State of the service, read at most every ten seconds. */
  readonly health: () => Promise<Health>;
  /** The uptime of the last 90 days, oldest first, read at most once a minute. */
  readonly healthHistory: () => Promise<HealthDay[]>;
}

export function cacheHealth(context: Context & WithStartup & WithBackups): WithHealth {
  const cachedHealth = cached(context.clock, HEALTH_CACHE_SECONDS, () => readHealth(context));
  return {
    // An answer given during the start must not stay cached after it.
    health: () => (context.startup.hasEnded ? cachedHealth() : readHealth(context)),
    healthHistory: cached(context.clock, HISTORY_CACHE_SECONDS, () => readHistory(context)),
  };
}
