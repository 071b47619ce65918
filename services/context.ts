/** Everything a use case may reach, built once in server/context.ts and passed down. There are no globals. */
import type { Logger } from 'pino';
import type { Database } from '../entities/orm.ts';
import type { Fetch } from '../platforms/contract.ts';
import type { PlatformRegistry } from '../platforms/registry.ts';
import type { Clock, Random } from './clock.ts';
import type { Config } from './config.ts';
import type { Vault } from './credentials/vault.ts';
import type { Health } from './health/read-health.ts';
import type { KeyChecks } from './keys/key-checks.ts';
import type { RateLimiter } from './limits/rate-limiter.ts';
import type { SendDesk } from './posts/send-desk.ts';
import type { MediaStore } from './media/media-store.ts';
import type { Simulation } from './simulation/simulation.ts';

export interface Context {
  readonly config: Config;
  readonly clock: Clock;
  readonly random: Random;
  /** Outbound HTTP through the guard. */
  readonly fetch: Fetch;
  readonly db: Database;
  readonly platforms: PlatformRegistry;
  readonly vault: Vault;
  /** Where the bytes of images are kept. */
  readonly media: MediaStore;
  /** Counts requests by key and endpoint group, exactly over all processes. */
  readonly limiter: RateLimiter;
  /** Checks API keys, and counts their requests. */
  readonly keyChecks: KeyChecks;
  /** Counts requests without a key by address, in memory: it must hold while the database is down. */
  readonly publicLimiter: RateLimiter;
  /** The sends this process has under way. */
  readonly sends: SendDesk;
  /** The clock moved by hand; null on the real clock. */
  readonly simulation: Simulation | null;
  /** How the service is, read at most every ten seconds. */
  readonly health: () => Promise<Health>;
  readonly log: Logger;
  /** Version the package declares, as /health and the API document show it. */
  readonly version: string;
}
