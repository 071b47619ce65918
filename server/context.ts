/** Builds the ports: the only place that combines clock, randomness, network, database and platforms. */
import type { Logger } from 'pino';
import packageJson from '../package.json' with { type: 'json' };
import type { Database } from '../entities/orm.ts';
import type { Fetch } from '../platforms/contract.ts';
import type { OpenSocket } from '../platforms/io.ts';
import { createRegistry } from '../platforms/registry.ts';
import type { Clock, Random } from '../services/clock.ts';
import type { Config } from '../services/config.ts';
import type { Context } from '../services/context.ts';
import { createSigner } from '../services/credentials/signer.ts';
import { createVault } from '../services/credentials/vault.ts';
import { createImageWork } from '../services/images/image-work.ts';
import { openMediaStore } from '../services/media/open-media-store.ts';
import { reportOutages } from '../services/media/report-outages.ts';
import type { Counters } from '../services/ports/counters.ts';
import type { MediaStore } from '../services/ports/media-store.ts';
import { NO_TRACER, type Tracer } from '../services/ports/tracer.ts';
import { createSandboxTimeline } from '../services/sandbox/timeline.ts';
import { createImageProcesses } from './image-processes.ts';
import { createMailServer } from './mail.ts';
import { createOpenAiPolisher } from './openai-polisher.ts';

/** The parts that differ between an install and a test. */
export interface ContextParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly random: Random;
  readonly fetch: Fetch;
  readonly openSocket: OpenSocket;
  readonly db: Database;
  readonly encryptionKeys: readonly Buffer[];
  readonly log: Logger;
  /** Default: none. */
  readonly tracer?: Tracer;
  /** Default: the media store that the configuration names. */
  readonly media?: MediaStore;
}

export function createContext(parts: ContextParts & { readonly counters: Counters }): Context {
  const { config, clock, random, fetch, openSocket, db, log } = parts;
  return {
    config,
    clock,
    random,
    fetch,
    openSocket,
    db,
    log,
    tracer: parts.tracer ?? NO_TRACER,
    counters: parts.counters,
    platforms: createRegistry(createSandboxTimeline(db, clock, random)),
    vault: createVault(parts.encryptionKeys, (length) => random.bytes(length)),
    signer: createSigner(parts.encryptionKeys),
    media: reportOutages(parts.media ?? openMediaStore(config, clock)),
    images: createImageWork(createImageProcesses(clock)),
    mail: config.mail === null ? null : createMailServer(config.mail),
    polisher: config.polish === null ? null : createOpenAiPolisher(config.polish, fetch),
    version: packageJson.version,
  };
}
