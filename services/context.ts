/**
 * The ports of use cases: everything they reach outside of themselves. Built once in server/context.ts and passed down;
 * there are no globals. Objects with state of the running process are not ports, see server/runtime.ts.
 */
import type { Logger } from 'pino';
import type { Database } from '../entities/orm.ts';
import type { Fetch } from '../platforms/contract.ts';
import type { OpenSocket } from '../platforms/io.ts';
import type { MailServer } from '../platforms/mail.ts';
import type { PlatformRegistry } from '../platforms/registry.ts';
import type { Clock, Random } from './clock.ts';
import type { Config } from './config.ts';
import type { ImageWork } from './images/image-work.ts';
import type { Counters } from './ports/counters.ts';
import type { MediaStore } from './ports/media-store.ts';
import type { Polisher } from './ports/polisher.ts';
import type { Signer } from './ports/signer.ts';
import type { Tracer } from './ports/tracer.ts';
import type { Vault } from './ports/vault.ts';

export interface Context {
  readonly config: Config;
  readonly clock: Clock;
  readonly random: Random;
  /** Outbound HTTP through the guard. */
  readonly fetch: Fetch;
  /** Outbound WebSockets through the guard. */
  readonly openSocket: OpenSocket;
  readonly db: Database;
  readonly log: Logger;
  readonly tracer: Tracer;
  readonly counters: Counters;
  readonly platforms: PlatformRegistry;
  readonly vault: Vault;
  /** Signs URLs that give access without a key. */
  readonly signer: Signer;
  /** Storage of the bytes of images. */
  readonly media: MediaStore;
  /** Decodes and encodes all images. */
  readonly images: ImageWork;
  /** The operator's mail server; null when none is configured. */
  readonly mail: MailServer | null;
  /** The model that rewrites texts; null when none is configured. */
  readonly polisher: Polisher | null;
  /** Version the package declares, as /health and the API document show it. */
  readonly version: string;
}
