/** Everything a use case may reach, built once in server/context.ts and passed down. There are no globals. */
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
import type { SendDesk } from './posts/send-desk.ts';
import type { ImageWork } from './media/image-work.ts';
import type { MediaStore } from './media/media-store.ts';
import type { DeliveryDesk } from './webhooks/delivery-desk.ts';
import type { Receivers } from './webhooks/receivers.ts';
import type { Simulation } from './simulation/simulation.ts';
import type { Stats } from './stats/read-stats.ts';

export interface Context {
  readonly config: Config;
  readonly clock: Clock;
  readonly random: Random;
  /** Outbound HTTP through the guard. */
  readonly fetch: Fetch;
  /** The operator's mail server; null where none is set up. */
  readonly mail: MailServer | null;
  /** The model that rewrites texts; null where none is set up. */
  readonly polisher: Polisher | null;
  readonly db: Database;
  readonly platforms: PlatformRegistry;
  readonly vault: Vault;
  /** Signs addresses that open something without a key. */
  readonly signer: Signer;
  /** Where the bytes of images are kept. */
  readonly media: MediaStore;
  /** All decoding and encoding of images. */
  readonly images: ImageWork;
  /** Counts requests by key and endpoint group, exactly over all processes. */
  readonly limiter: RateLimiter;
  /** Checks API keys, and counts their requests. */
  readonly keyChecks: KeyChecks;
  /** Counts requests without a key, exactly over all processes; buckets are named `<machine> <group>`, see machine-of.ts. */
  readonly publicLimiter: RateLimiter;
  /** Where what callers ask for is written down. */
  readonly audit: AuditLog;
  /** The sends this process has under way. */
  readonly sends: SendDesk;
  /** The servers behind webhooks, through the guard. */
  readonly receivers: Receivers;
  /** The deliveries to them that this process has under way. */
  readonly deliveries: DeliveryDesk;
  /** The clock moved by hand; null on the real clock. */
  readonly simulation: Simulation | null;
  /** Whether the start of this process has ended, the first start of an install included; it is not well before (docs/contract/running.md#health). */
  readonly startup: { readonly hasEnded: boolean };
  /** How the service is, read at most every ten seconds. */
  readonly health: () => Promise<Health>;
  /** The uptime of the last 90 days, oldest first, read at most once a minute. */
  readonly healthHistory: () => Promise<HealthDay[]>;
  /** The numbers of the install, counted at most once a minute. */
  readonly stats: () => Promise<Stats>;
  readonly log: Logger;
  /** Version the package declares, as /health and the API document show it. */
  readonly version: string;
}
