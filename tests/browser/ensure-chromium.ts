/**
 * Finds the browser for the tests: CHROMIUM_PATH, or one of Debian's packages, which is installed if possible. Without a
 * browser the tests are skipped, unless BROWSER=required.
 */
import { existsSync } from 'node:fs';
import { canInstallPackages, installDebianPackage } from '../harness/install-debian-package.ts';

/** The engine without windows, which takes about a quarter less of the processor. */
const PACKAGE = 'chromium-headless-shell';

const DEBIANS = `/usr/bin/${PACKAGE}`;

export default async function setup(): Promise<void> {
  const path = process.env['CHROMIUM_PATH'] ?? [DEBIANS, '/usr/bin/chromium'].find(existsSync) ?? DEBIANS;
  const missing = existsSync(path) ? null : await install(path);
  if (missing === null) return void (process.env['CHROMIUM_PATH'] = path);
  if (process.env['BROWSER'] === 'required') throw new Error(missing);
  console.log(`Skipped: ${missing}`);
  // A missing file must not count as a browser.
  delete process.env['CHROMIUM_PATH'];
}

/** Installs Debian's package. Returns why that failed, or null on success. */
async function install(path: string): Promise<string | null> {
  if (path !== DEBIANS) return `there is no browser at ${path} (CHROMIUM_PATH).`;
  if (!canInstallPackages()) {
    return `there is no ${DEBIANS}, and only root can install it, with apt-get. Name one with CHROMIUM_PATH.`;
  }
  console.log(`Installing ${PACKAGE} from Debian (once, about 100 MB).`);
  try {
    await installDebianPackage(PACKAGE);
    return null;
  } catch (error) {
    return `${PACKAGE} could not be installed: ${String(error)}`;
  }
}
