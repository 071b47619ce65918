/** One running install, from opening the database to listening on the port. `stop` reverses the order. */
import { join } from 'node:path';
import packageJson from '../package.json' with { type: 'json' };
import type { Database } from '../entities/orm.ts';
import { keepFrozenInstant } from '../jobs/simulation.ts';
import { startWorkerSoon } from '../jobs/start-worker-soon.ts';
import { startWorker, type Worker } from '../jobs/worker.ts';
import type { Context } from '../services/context.ts';
import { watchRestores } from '../jobs/watch-restores.ts';
import { decideHold } from '../services/sending/decide-hold.ts';
import { removeUnfinished } from '../services/backups/create-backup.ts';
import type { Clock, Random } from '../services/clock.ts';
import type { Config } from '../services/config.ts';
import { missingKeyMarks } from '../services/credentials/re-encrypt-credentials.ts';
import { claimInterruptedRemovals } from '../services/sending/claim-removal.ts';
import { claimInterruptedSends } from '../services/sending/claim-interrupted-sends.ts';
import type { ClaimedSend } from '../services/sending/claimed-send.ts';
import { recoverRemovals } from '../services/sending/recover-removals.ts';
import { releaseAllWebhookLeases } from '../services/webhooks/release-webhook-leases.ts';
import { startOwner } from '../services/people/start-owner.ts';
import { firstStart } from '../services/setup/first-start.ts';
import { recordStart } from '../services/workers/record-start.ts';
import { announcement, ownerAnnouncement } from './announcement.ts';
import { createApp, createWorkerApp } from './app.ts';
import { isConsoleOutdated } from './built-console.js';
import { clientAddresses } from './client-address.ts';
import { machineTime, type ManualClock, systemClock } from './clocks.ts';
import { ConfigError } from './config.ts';
import { systemRandom } from './system-random.ts';
import { createDatabaseClock, type DatabaseClock } from './database-clock.ts';
import { acquireDataDirLock } from './data-dir-lock.ts';
import { encryptionKeys } from './encryption-keys.ts';
import { serve } from './http-server.ts';
import { createLogger } from './logger.ts';
import { openManualClock } from './manual-clock.ts';
import { openDatabase } from './open-database.ts';
import { operatorToken } from './operator-token.ts';
import { refuseUnfinishedRestore } from './restore-data-dir.ts';
import { secureDataDir } from './secure-data-dir.ts';
import { createOutboundFetch } from './outbound.ts';
import { createReceivers } from './receivers.ts';
import { createRuntime, type Runtime } from './runtime.ts';
import type { Telemetry } from './telemetry/start-telemetry.ts';

export interface Install {
  readonly context: Runtime;
  /** Finishes requests and sends in progress, then closes everything. */
  stop(): Promise<void>;
}

const ROOT = join(import.meta.dirname, '..');

/** How many interrupted sends are recovered at once at the start. */
const RECOVER_AT_ONCE = 1_000;

/** @throws Error whose first line tells the operator what to correct */
export async function startInstall(config: Config, options: { announce: (text: string) => void }): Promise<Install> {
  await secureDataDir(config.dataDir, { uid: process.getuid?.(), log: createLogger(config.logLevel) });
  const lock = config.databaseUrl === undefined ? await acquireDataDirLock(config.dataDir) : undefined;
  await refuseUnfinishedRestore(config);
  // Only now: the manual clock is read from DATA_DIR and written to it.
  const clock = openClock(config, () => db);
  const random = systemRandom(clock);
  const telemetry = await openTelemetry(config, clock, random);
  const log = createLogger(config.logLevel, undefined, telemetry?.lines);
  // Only `npm start` builds. After an update, a server that is started directly would serve the console of the version before.
  if (config.role !== 'worker' && isConsoleOutdated(ROOT))
    log.warn('the console was built from other sources: run npm run build, and restart');
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
    openSocket: outbound.openSocket,
    receivers,
    db,
    encryptionKeys: keys,
    log,
    startup,
    ...(telemetry !== null && { tracer: telemetry.tracer }),
  });
  await refuseUnreadableCredentials(context);
  const isAlone = db.engine === 'pglite';
  if (config.isRestored) await holdAfterRestore(context);
  const interrupted = isAlone ? await claimInterrupted(context) : [];
  const removals = isAlone ? await claimInterruptedRemovals(context, RECOVER_AT_ONCE, true) : [];
  if (isAlone) await Promise.all([releaseAllWebhookLeases(context), removeUnfinished(context)]);

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
  telemetry?.observe({ log, metrics: context.instruments.readRegistry });
  const { isTrusted } = clientAddresses(config);
  const server = await serve(served, config, { isProxy: (address) => isTrusted(address, 0), clock, log });
  if (config.role !== 'worker') await introduce(context, options.announce);
  recover(context, interrupted);
  recoverRemovals(context, removals);
  const work = await startWork(context);
  // A process with an embedded database would have to end before a backup is restored.
  const watched = isAlone ? undefined : watchRestores(context, following.signal);
  isReady = true;
  startup.hasEnded = true;
  if (config.trustProxy === true)
    log.warn('TRUST_PROXY=true lets every caller choose its address: set the number of proxies, or their addresses');
  const unread = config.telemetry?.unread ?? [];
  if (unread.length > 0) log.warn({ variables: unread }, 'variables of OpenTelemetry are set that have no effect');
  log.info({ role: config.role, database: db.engine, version: context.version, port: config.port }, 'ready');

  return {
    context,
    stop: async () => {
      isReady = false;
      stopping.abort();
      await Promise.all([server.close(), work.stop(), context.backups.close()]);
      await Promise.all([context.sends.drained(), context.deliveries.close()]);
      context.images.close();
      await outbound.close();
      receivers.close();
      following.abort();
      await Promise.all([followed.ended, watched]);
      // Its last metrics are read from the database.
      await telemetry?.stop();
      await db.close();
      await lock?.release();
    },
  };
}

/** The SDK is loaded only when a collector is configured. */
async function openTelemetry(config: Config, clock: Clock, random: Random): Promise<Telemetry | null> {
  if (config.telemetry === null) return null;
  const { startTelemetry } = await import('./telemetry/start-telemetry.ts');
  const parts = { version: packageJson.version, instanceId: random.uuid(), role: config.role, clock };
  return startTelemetry(config.telemetry, parts);
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
function claimInterrupted(context: Runtime): Promise<ClaimedSend[]> {
  return claimInterruptedSends(context, RECOVER_AT_ONCE, true);
}

async function holdAfterRestore(context: Runtime): Promise<void> {
  const { heldUntil, posts } = await decideHold(context, 'hold');
  context.log.warn({ heldUntil, posts }, 'RESTORED is set: posts that are due are held');
}

function recover(context: Runtime, interrupted: readonly ClaimedSend[]): void {
  if (interrupted.length > 0) context.log.warn({ sends: interrupted.length }, 'recovering sends that were interrupted');
  for (const send of interrupted) {
    context.sends
      .send(send)
      .catch((error: unknown) => context.log.error({ postId: send.post.id, err: error }, 'a recovery failed'));
  }
}

async function startWork(context: Runtime): Promise<Worker> {
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
  return context.db.engine === 'pglite' ? startWorkerSoon(context) : startWorker(context);
}
