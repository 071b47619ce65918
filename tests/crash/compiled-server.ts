/** Compiles the server once: a process that is killed keeps nothing of what it compiled, so that each start would do it anew. */
import { spawnSync } from 'node:child_process';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const REPOSITORY = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** Where Node keeps compiled modules, and looks for them; it compiles anew what has changed since. */
export const COMPILED = { NODE_COMPILE_CACHE: join(REPOSITORY, '.cache/compiled') };

export default function setup(): void {
  const { PATH = '', HOME = '' } = process.env;
  // Refused once everything is loaded, it ends by itself, and what it compiled is kept.
  const env = { PATH, HOME, ...COMPILED, PORT: 'none' };
  spawnSync(process.execPath, ['server/main.ts'], { cwd: REPOSITORY, env, stdio: 'ignore' });
}
