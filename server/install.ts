/** One running install, from opening the database to listening on the port. `stop` reverses the order. */
import { join } from 'node:path';
import { type Database, openPglite, openPostgres } from '../entities/orm.ts';
import { loggableError } from '../errors/loggable-error.ts';
import { keepFrozenInstant } from '../jobs/simulation.ts';
import { startWorker } from '../jobs/worker.ts';
import type { Context } from '../services/context.ts';
import type { Clock } from '../services/clock.ts';
import type { Config } from '../services/config.ts';
import { missingKeyMarks } from '../services/credentials/re-encrypt-credentials.ts';
import { claimInterruptedRemovals } from '../services/sending/claim-removal.ts';
import { claimInterruptedSends } from '../services/sending/claim-interrupted-sends.ts';
import type { ClaimedSend } from '../services/sending/claimed-send.ts';
import { recoverRemovals } from '../services/sending/recover-removals.ts';
import { releaseAllWebhookLeases } from '../services/webhooks/claim-webhook-leases.ts';
import { startOwner } from '../services/people/start-owner.ts';
import { firstStart } from '../services/setup/first-start.ts';
import { recordStart } from '../services/workers/record-start.ts';
import { announcement, ownerAnnouncement } from './announcement.ts';
import { createApp, createWorkerApp } from './app.ts';
import { machineTime, type ManualClock, systemClock } from './clocks.ts';
import { ConfigError } from './config.ts';
import { systemRandom } from './context.ts';
import { createDatabaseClock, type DatabaseClock } from './database-clock.ts';
import { acquireDataDirLock } from './data-dir-lock.ts';
import { encryptionKeys } from './encryption-keys.ts';
import { serve } from './http-server.ts';
import { createLogger } from './logger.ts';
import type { Logger } from 'pino';
import { openManualClock } from './manual-clock.ts';
import { operatorToken } from './operator-token.ts';
import { secureDataDir } from './secure-data-dir.ts';
import { createOutboundFetch } from './outbound.ts';
import { createReceivers } from './receivers.ts';
import { createRuntime, type Runtime } from './runtime.ts';

export interface Install {
  readonly context: Runtime;
  /** Finishes requests and sends in progress, then closes everything. */
  stop(): Promise<void>;
}

/** How many interrupted sends are recovered at once at the start. */
const RECOVER_AT_ONCE = 1_000;

/** @throws Error whose first line tells the operator what to correct */
export async function startInstall(config: Config, options: { announce: (text: string) => void }): Promise<Install> {
  const log = createLogger(config.logLevel);
  await secureDataDir(config.dataDir, { uid: process.getuid?.(), log });
  const lock = config.databaseUrl === undefined ? await acquireDataDirLock(config.dataDir) : undefined;
  const clock = openClock(config, () => db);
  const random = systemRandom(clock);
  const outbound = createOutboundFetch({ allow: config.outboundAllow });
  const receivers = createReceivers({ allow: config.outboundAllow, clock });
  const keys = await encryptionKeys(config, random);
  const db = await openDatabase(config, log);
  const following = new AbortController();
  const followed = await followDatabase(clock, following.signal);
  const startup = { hasEnded: false };
  const context = createRuntime({
    config,
    clock,
    random,
    fetch: outbound.fetch,
    receivers,
    db,
    encryptionKeys: keys,
    log,
    startup,
  });
  await refuseUnreadableCredentials(context);
  const isAlone = db.engine === 'pglite';
  const interrupted = isAlone ? await claimInterrupted(context) : [];
  const removals = isAlone ? await claimInterruptedRemovals(context, RECOVER_AT_ONCE, true) : [];
  if (isAlone) await releaseAllWebhookLeases(context);

  let isReady = false;
  const stopping = new AbortController();
  const createServed = config.role === 'worker' ? createWorkerApp : createApp;
  // Reads the token before the first start creates a key. A start that fails here must not leave a key that was never
  // shown.
  const token = config.operator === 'off' ? undefined : await operatorToken(config, random);
  const served = createServed(context, {
    isReady: () => isReady,
    stopping: stopping.signal,
    operatorToken: token,
  });
  const isTrusted = served.get('trust proxy fn') as (address: string, hop: number) => boolean;
  const server = await serve(served, config, { isProxy: (address) => isTrusted(address, 0), clock, log });
  if (config.role !== 'worker') await introduce(context, options.announce);
  recover(context, interrupted);
  recoverRemovals(context, removals);
  const work = await startWork(context);
  isReady = true;
  startup.hasEnded = true;
  if (config.trustProxy === true)
    log.warn('TRUST_PROXY=true lets every caller choose its address: set the number of proxies, or their addresses');
  log.info({ role: config.role, database: db.engine, version: context.version, port: config.port }, 'ready');

  return {
    context,
    stop: async () => {
      isReady = false;
      stopping.abort();
      await Promise.all([server.close(), work.stop()]);
      await Promise.all([context.sends.drained(), context.deliveries.close()]);
      context.images.close();
      await outbound.close();
      receivers.close();
      following.abort();
      await followed.ended;
      await db.close();
      await lock?.release();
    },
  };
}

/** Processes that share a PostgreSQL database use its clock. A process with an embedded database uses the machine's. */
function openClock(config: Config, db: () => Database): Clock | ManualClock | DatabaseClock {
  if (config.clock === 'manual') return openManualClock(config);
  return config.databaseUrl === undefined ? systemClock : createDatabaseClock(systemClock, machineTime, db);
}

/** The process must know the time before it creates or claims anything. */
async function followDatabase(clock: Clock | DatabaseClock, signal: AbortSignal): Promise<{ ended: Promise<void> }> {
  if (!('follow' in clock)) return { ended: Promise.resolve() };
  await clock.readDatabaseTime();
  return { ended: clock.follow(signal) };
}

async function openDatabase({ databaseUrl, dataDir }: Config, log: Pick<Logger, 'warn'>): Promise<Database> {
  const onMaintenanceError = (err: unknown) => log.warn({ err }, 'the embedded database could not be vacuumed');
  try {
    const db =
      databaseUrl === undefined
        ? await openPglite(join(dataDir, 'db'), undefined, onMaintenanceError)
        : await openPostgres(databaseUrl);
    await db.migrate();
    return db;
  } catch (error) {
    const variable = databaseUrl === undefined ? 'DATA_DIR' : 'DATABASE_URL';
    throw new ConfigError(`${variable}: the database cannot be opened (${whyNotOpened(error)})`, { cause: error });
  }
}

/** SQLSTATE classes of failed connections. Their messages name users and databases, and contain no rows. */
const CONNECTING = /^(?:08|28|3D)\w{3}$/;

/** The error of a failed migration may quote stored data, so only a failure to connect shows the database's message. */
function whyNotOpened(error: unknown): string {
  const { type, code, message } = loggableError(error);
  if (error instanceof Error && CONNECTING.test(code ?? '')) return error.message.split('\n')[0] ?? type;
  return message ?? code ?? type;
}

// Checks at the start that a key can decrypt every credential. Otherwise the first post would fail hours later.
async function refuseUnreadableCredentials(context: Context): Promise<void> {
  const missing = await missingKeyMarks(context);
  if (missing.length === 0) return;
  throw new ConfigError(
    `ENCRYPTION_KEYS: stored logins were encrypted with a missing key (mark ${missing.join(', ')}); add it after the first`,
  );
}

// A worker prints nothing, so a process whose output is visible creates the first key.
async function introduce(context: Context, announce: (text: string) => void): Promise<void> {
  const first = await firstStart(context, (made) => announce(announcement(context, made)));
  if (first === null) announce(announcement(context, null));
  const link = await startOwner(context);
  if (link !== null) announce(ownerAnnouncement(link));
}

// The lock guarantees that no other process works on this database, and this process has received no request yet. Any
// send in progress was therefore interrupted.
function claimInterrupted(context: Context): Promise<ClaimedSend[]> {
  return claimInterruptedSends(context, RECOVER_AT_ONCE, true);
}

function recover(context: Runtime, interrupted: readonly ClaimedSend[]): void {
  if (interrupted.length > 0) context.log.warn({ sends: interrupted.length }, 'recovering sends that were interrupted');
  for (const send of interrupted) {
    context.sends
      .send(send)
      .catch((error: unknown) => context.log.error({ postId: send.post.id, err: error }, 'a recovery failed'));
  }
}

async function startWork(context: Runtime): Promise<{ stop(): Promise<void> }> {
  if (context.config.role !== 'web') await recordStart(context);
  if (context.simulation !== null) {
    const stopping = new AbortController();
    const freezing = keepFrozenInstant(context, stopping.signal);
    return {
      stop: () => {
        stopping.abort();
        return freezing;
      },
    };
  }
  if (context.config.role === 'web') return { stop: async () => undefined };
  return startWorker(context);
}
