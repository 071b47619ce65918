/** Builds the Context, the only place that combines clock, randomness, network, database and platforms. */
import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import packageJson from '../package.json' with { type: 'json' };
import type { Database } from '../entities/orm.ts';
import type { Fetch } from '../platforms/contract.ts';
import { createRegistry } from '../platforms/registry.ts';
import { createAuditLog } from '../services/audit/audit-log.ts';
import { cached } from '../services/cached.ts';
import type { Clock, Random } from '../services/clock.ts';
import type { Config } from '../services/config.ts';
import type { Context } from '../services/context.ts';
import { createSigner } from '../services/credentials/signer.ts';
import { createVault } from '../services/credentials/vault.ts';
import { readHealth } from '../services/health/read-health.ts';
import { readHistory } from '../services/health/read-history.ts';
import { createIds } from '../services/ids.ts';
import { createKeyChecks } from '../services/keys/key-checks.ts';
import { createMemoryRateLimiter } from '../services/limits/memory-rate-limiter.ts';
import { createPostgresRateLimiter } from '../services/limits/postgres-rate-limiter.ts';
import { createPublicRateLimiter } from '../services/limits/public-rate-limiter.ts';
import { createImageWork } from '../services/media/image-work.ts';
import type { MediaStore } from '../services/media/media-store.ts';
import { openMediaStore } from '../services/media/open-media-store.ts';
import { createPostSender } from '../services/posts/post-sender.ts';
import { createSandboxTimeline } from '../services/sandbox/timeline.ts';
import { readStats } from '../services/stats/read-stats.ts';
import { createWebhookDispatcher } from '../services/webhooks/webhook-dispatcher.ts';
import type { Receivers } from '../services/webhooks/receivers.ts';
import { createSimulation } from '../jobs/simulation.ts';
import type { ManualClock } from './clocks.ts';
import { createImageProcesses } from './image-processes.ts';
import { createMailServer } from './mail.ts';
import { createOpenAiPolisher } from './openai-polisher.ts';

/** Seconds that an answer of GET /health is cached (docs/contract/running.md#health). */
const HEALTH_CACHE_SECONDS = 10;

/**
 * Seconds that answers of GET /health/history and GET /stats are cached (docs/contract/metrics.md#public-statistics).
 */
const NUMBERS_CACHE_SECONDS = 60;

/** The parts that differ between an install and a test. */
export interface ContextParts {
  readonly config: Config;
  readonly clock: Clock | ManualClock;
  readonly random: Random;
  readonly fetch: Fetch;
  readonly receivers: Receivers;
  readonly db: Database;
  readonly encryptionKeys: readonly Buffer[];
  readonly log: Logger;
  /** Default: the media store that the configuration names. */
  readonly media?: MediaStore;
  /** `hasEnded` changes once, when the start ends. Default: the start has ended. */
  readonly startup?: { readonly hasEnded: boolean };
}

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

export function createContext(parts: ContextParts): Context {
  const { config, clock, random, fetch, receivers, db, log, startup = { hasEnded: true } } = parts;
  const keptHealth = cached(clock, HEALTH_CACHE_SECONDS, () => readHealth(context));
  const context: Context = {
    config,
    clock,
    random,
    fetch,
    mail: config.mail === null ? null : createMailServer(config.mail),
    polisher: config.polish === null ? null : createOpenAiPolisher(config.polish, fetch),
    db,
    log,
    platforms: createRegistry(createSandboxTimeline(db, clock, random)),
    vault: createVault(parts.encryptionKeys, (length) => random.bytes(length)),
    signer: createSigner(parts.encryptionKeys),
    media: parts.media ?? openMediaStore(config),
    images: createImageWork(createImageProcesses(clock)),
    limiter:
      db.engine === 'postgres'
        ? createPostgresRateLimiter(db, config.rateLimitPerMinute)
        : createMemoryRateLimiter(config.rateLimitPerMinute),
    publicLimiter: createPublicRateLimiter(db, clock, config.rateLimitPerMinute),
    keyChecks: createKeyChecks(() => context),
    audit: createAuditLog(() => context),
    sends: createPostSender(() => context),
    receivers,
    deliveries: createWebhookDispatcher(() => context),
    simulation: 'set' in clock ? createSimulation(() => context, clock) : null,
    startup,
    // An answer given during the start must not stay cached after it.
    health: () => (startup.hasEnded ? keptHealth() : readHealth(context)),
    healthHistory: cached(clock, NUMBERS_CACHE_SECONDS, () => readHistory(context)),
    stats: cached(clock, NUMBERS_CACHE_SECONDS, () => readStats(context)),
    version: packageJson.version,
  };
  return context;
}
