/**
 * Finds the browser that the pages are walked in: CHROMIUM_PATH, or Debian's own, which is installed where
 * that is possible. Without one the walks are skipped, unless BROWSER=required.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);

const DEBIANS = '/usr/bin/chromium';

export default async function setup(): Promise<void> {
  const path = process.env['CHROMIUM_PATH'] ?? DEBIANS;
  const missing = existsSync(path) ? null : await install(path);
  if (missing === null) return void (process.env['CHROMIUM_PATH'] = path);
  if (process.env['BROWSER'] === 'required') throw new Error(missing);
  console.log(`Skipped: ${missing}`);
  // What is not there must not be taken for a browser.
  delete process.env['CHROMIUM_PATH'];
}

/** Installs Debian's package. Gives why that cannot be done; null when it was. */
async function install(path: string): Promise<string | null> {
  if (path !== DEBIANS) return `there is no browser at ${path} (CHROMIUM_PATH).`;
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    return `there is no ${DEBIANS}, and only root can install it, with apt-get. Name one with CHROMIUM_PATH.`;
  }
  console.log('Installing chromium from Debian (once, about 100 MB).');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  try {
    await run('apt-get', ['update', '-qq'], { env });
    await run('apt-get', ['install', '-qq', '-y', '--no-install-recommends', 'chromium'], { env });
    return null;
  } catch (error) {
    return `chromium could not be installed: ${String(error)}`;
  }
}
