/** Restores a dump with the commands of docs/operations.md#restoring, so that the page stays true. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { blocksOf } from '../docs/code-blocks.ts';
import { REPOSITORY } from './install.ts';

/** The name that the page gives the dump. */
export const DUMP = 'carillon.dump';

/** @param folder has the dump, as {@link DUMP} */
export function restoreAsDocumented(folder: string, databaseUrl: string): void {
  const commands = blocksOf(join(REPOSITORY, 'docs/operations.md')).filter(({ code }) => code.includes(DUMP));
  if (commands.length !== 1) throw new Error(`docs/operations.md has ${commands.length} blocks that restore ${DUMP}`);
  const env = { PATH: process.env['PATH'], DATABASE_URL: databaseUrl };
  for (const { code } of commands) execFileSync('bash', ['-ec', code], { cwd: folder, env, stdio: 'pipe' });
}
