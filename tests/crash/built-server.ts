/**
 * Builds the console and the server as `npm start` does, and compiles the server once. A process that is killed while it
 * starts stores no compiled modules, so each start would compile them again.
 */
import { spawnSync } from 'node:child_process';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBuilt } from '../../scripts/ensure-built.js';

const REPOSITORY = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** The folder in which Node caches compiled modules. It recompiles changed ones. */
export const COMPILED = { NODE_COMPILE_CACHE: join(REPOSITORY, '.cache/compiled') };

export default async function setup(): Promise<void> {
  // A server with an old console logs a warning, and tests compare all warnings.
  await ensureBuilt(REPOSITORY, 'console');
  await ensureBuilt(REPOSITORY, 'server');
  const { PATH = '', HOME = '' } = process.env;
  // This start is refused after all modules are loaded, so the process exits and stores the compiled modules.
  const env = { PATH, HOME, ...COMPILED, PORT: 'none' };
  spawnSync(process.execPath, ['server/main.js'], { cwd: REPOSITORY, env, stdio: 'ignore' });
}
