/**
 * Builds the objects of a running process on top of its ports: they hold its sends, deliveries, rate limits and cached
 * answers. Each one receives what exists before it. A function names the ones it needs in the type of its context, as
 * `Context & WithSender`.
 */
import type { LoopContext } from '../jobs/loop.ts';
import { createSimulation } from '../jobs/simulation.ts';
import type { OperationServices } from '../routers/context.ts';
import { createAuditLog } from '../services/audit/audit-log.ts';
import { createBackups } from '../services/backups/backup-schedule.ts';
import { cacheHealth } from '../services/health/cached-health.ts';
import { createKeyChecks, type WithKeyChecks } from '../services/keys/key-checks.ts';
import { createMemoryRateLimiter } from '../services/limits/memory-rate-limiter.ts';
import { createPostgresRateLimiter } from '../services/limits/postgres-rate-limiter.ts';
import { createPublicRateLimiter } from '../services/limits/public-rate-limiter.ts';
import type { WithLimiter, WithPublicLimiter } from '../services/limits/rate-limiter.ts';
import { createTargetLookups } from '../services/connections/resolve-slugs.ts';
import { createMissingCharges } from '../services/plans/write-missing-charges.ts';
import { createPostInserts } from '../services/posts/store-posts.ts';
import { createRestoreWatch } from '../services/restores/restore-watch.ts';
import { createPostSender } from '../services/sending/create-post-sender.ts';
import { cacheStats } from '../services/stats/read-stats.ts';
import type { Receivers } from '../services/webhooks/receivers.ts';
import { createWebhookDispatcher } from '../services/webhooks/webhook-dispatcher.ts';
import type { ManualClock } from './clocks.ts';
import { type ContextParts, createContext } from './context.ts';
import { createInstruments, observeProcess, type WithInstruments } from './instruments.ts';

/** The ports and all objects of a process: what its surfaces and its loops receive. */
export interface Runtime
  extends OperationServices, LoopContext, WithKeyChecks, WithLimiter, WithPublicLimiter, WithInstruments {}

export interface RuntimeParts extends ContextParts {
  readonly clock: ContextParts['clock'] | ManualClock;
  readonly receivers: Receivers;
  /** Default: the start has ended. */
  readonly startup?: { readonly hasEnded: boolean };
}

export function createRuntime(parts: RuntimeParts): Runtime {
  const { clock, config, db, receivers, startup = { hasEnded: true } } = parts;
  const limiter =
    db.engine === 'postgres'
      ? createPostgresRateLimiter(db, config.rateLimitPerMinute)
      : createMemoryRateLimiter(config.rateLimitPerMinute);
  const publicLimiter = createPublicRateLimiter(db, clock, config.rateLimitPerMinute);
  // The steps extend one object, so that a test that replaces a port replaces it for every part.
  const instruments = createInstruments(clock);
  const context = createContext({ ...parts, counters: instruments.counters });
  const ports = Object.assign(context, { instruments, limiter, publicLimiter, receivers, startup });
  const base = Object.assign(ports, { backups: createBackups(ports) });
  const working = Object.assign(base, {
    keyChecks: createKeyChecks(base),
    audit: createAuditLog(base),
    sends: createPostSender(base),
    targetLookups: createTargetLookups(base),
    postInserts: createPostInserts(base),
    missingCharges: createMissingCharges(base),
    restores: createRestoreWatch(base),
    deliveries: createWebhookDispatcher(base),
    ...cacheHealth(base),
    ...cacheStats(base),
  });
  observeProcess(working);
  return Object.assign(working, { simulation: 'set' in clock ? createSimulation(working, clock) : null });
}
