/** The Node that is installed on the machine, besides the pinned one that runs the tests. */
import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';

/** @returns undefined when none is on the PATH, or only one older than 20.3 */
export function nodeOfMachine(): { readonly path: string; readonly version: string } | undefined {
  for (const folder of (process.env['PATH'] ?? '').split(path.delimiter)) {
    const found = path.join(folder, 'node');
    if (folder.includes('node_modules') || !existsSync(found)) continue;
    const version = execFileSync(found, ['--version'], { encoding: 'utf8' }).trim();
    const [major = 0, minor = 0] = version.slice(1).split('.').map(Number);
    const isOwn = realpathSync(found) === realpathSync(process.execPath);
    if (!isOwn && (major > 20 || (major === 20 && minor >= 3))) return { path: found, version };
  }
  return undefined;
}
