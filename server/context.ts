/** Builds the ports: the only place that combines clock, randomness, network, database and platforms. */
import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import packageJson from '../package.json' with { type: 'json' };
import type { Database } from '../entities/orm.ts';
import type { Fetch } from '../platforms/contract.ts';
import { createRegistry } from '../platforms/registry.ts';
import type { Clock, Random } from '../services/clock.ts';
import type { Config } from '../services/config.ts';
import type { Context } from '../services/context.ts';
import { createSigner } from '../services/credentials/signer.ts';
import { createVault } from '../services/credentials/vault.ts';
import { createIds } from '../services/ids.ts';
import { createImageWork } from '../services/images/image-work.ts';
import { openMediaStore } from '../services/media/open-media-store.ts';
import type { MediaStore } from '../services/ports/media-store.ts';
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
  readonly db: Database;
  readonly encryptionKeys: readonly Buffer[];
  readonly log: Logger;
  /** Default: the media store that the configuration names. */
  readonly media?: MediaStore;
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
  const { config, clock, random, fetch, db, log } = parts;
  return {
    config,
    clock,
    random,
    fetch,
    db,
    log,
    platforms: createRegistry(createSandboxTimeline(db, clock, random)),
    vault: createVault(parts.encryptionKeys, (length) => random.bytes(length)),
    signer: createSigner(parts.encryptionKeys),
    media: parts.media ?? openMediaStore(config),
    images: createImageWork(createImageProcesses(clock)),
    mail: config.mail === null ? null : createMailServer(config.mail),
    polisher: config.polish === null ? null : createOpenAiPolisher(config.polish, fetch),
    version: packageJson.version,
  };
}
