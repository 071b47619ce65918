/** Installs of the real server for a crash test, removed when it ends. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createInstall, type Install } from './install.ts';
import { MIGRATED_VARIABLE } from './migrated-folder.ts';

export { freePort } from '../harness/free-port.ts';
export {
  callsTo,
  ENGINE,
  type Install,
  isReady,
  launchProcess,
  LIVE_KEY,
  REPOSITORY,
  type RestAnswer,
  type ServerProcess,
} from './install.ts';

type Environment = Readonly<Record<string, string>>;

/**
 * Creates an install that is removed, with its running processes, when the test ends. An embedded database is migrated.
 */
export function newInstall(settings: Environment = {}): Promise<Install> {
  return installOfTest(settings, process.env[MIGRATED_VARIABLE]);
}

/** Creates an install that was never started. */
export function emptyInstall(settings: Environment = {}): Promise<Install> {
  return installOfTest(settings);
}

async function installOfTest(settings: Environment, template?: string): Promise<Install> {
  const install = await createInstall({ dataDir: await newFolder(), settings, template });
  onTestFinished(() => install[Symbol.asyncDispose]());
  return install;
}

/** A folder that is removed when the test ends. */
export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-crash-'));
  // Hooks run in the reverse order, so the users of the folder stop first.
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
