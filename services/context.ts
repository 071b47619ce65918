/** All dependencies of use cases, built once in server/context.ts and passed down. There are no globals. */
import type { Logger } from 'pino';
import type { Database } from '../entities/orm.ts';
import type { Fetch } from '../platforms/contract.ts';
import type { MailServer } from '../platforms/mail.ts';
import type { PlatformRegistry } from '../platforms/registry.ts';
import type { AuditLog } from './audit/audit-log.ts';
import type { Clock, Random } from './clock.ts';
import type { Config } from './config.ts';
import type { Signer } from './credentials/signer.ts';
import type { Vault } from './credentials/vault.ts';
import type { Health } from './health/read-health.ts';
import type { HealthDay } from './health/read-history.ts';
import type { KeyChecks } from './keys/key-checks.ts';
import type { RateLimiter } from './limits/rate-limiter.ts';
import type { Polisher } from './polish/polisher.ts';
import type { PostSender } from './posts/post-sender.ts';
import type { ImageWork } from './media/image-work.ts';
import type { MediaStore } from './media/media-store.ts';
import type { WebhookDispatcher } from './webhooks/webhook-dispatcher.ts';
import type { Receivers } from './webhooks/receivers.ts';
import type { Simulation } from './simulation/simulation.ts';
import type { Stats } from './stats/read-stats.ts';

export interface Context {
  readonly config: Config;
  readonly clock: Clock;
  readonly random: Random;
  /** Outbound HTTP through the guard. */
  readonly fetch: Fetch;
  /** The operator's mail server; null when none is configured. */
  readonly mail: MailServer | null;
  /** The model that rewrites texts; null when none is configured. */
  readonly polisher: Polisher | null;
  readonly db: Database;
  readonly platforms: PlatformRegistry;
  readonly vault: Vault;
  /** Signs URLs that give access without a key. */
  readonly signer: Signer;
  /** Storage of the bytes of images. */
  readonly media: MediaStore;
  /** Decodes and encodes all images. */
  readonly images: ImageWork;
  /** Counts requests by key and endpoint group, exactly across all processes. */
  readonly limiter: RateLimiter;
  /** Checks API keys, and counts their requests. */
  readonly keyChecks: KeyChecks;
  /**
   * Counts requests without a key, exactly across all processes; buckets are named `<machine> <group>`, see
   * machine-of.ts.
   */
  readonly publicLimiter: RateLimiter;
  /** Stores which changes callers request. */
  readonly audit: AuditLog;
  /** The sends in progress in this process. */
  readonly sends: PostSender;
  /** The servers behind webhooks, through the guard. */
  readonly receivers: Receivers;
  /** The webhook deliveries in progress in this process. */
  readonly deliveries: WebhookDispatcher;
  /** The manual clock; null on the real clock. */
  readonly simulation: Simulation | null;
  /**
   * Whether the startup of this process has ended, including the first start of an install; before that, it is not
   * healthy (docs/contract/running.md#health).
   */
  readonly startup: { readonly hasEnded: boolean };
  /** State of the service, read at most every ten seconds. */
  readonly health: () => Promise<Health>;
  /** The uptime of the last 90 days, oldest first, read at most once a minute. */
  readonly healthHistory: () => Promise<HealthDay[]>;
  /** Statistics of the install, counted at most once a minute. */
  readonly stats: () => Promise<Stats>;
  readonly log: Logger;
  /** Version the package declares, as /health and the API document show it. */
  readonly version: string;
}
