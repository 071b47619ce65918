/** Installs what a suite needs from Debian's packages, for suites that run side by side. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Of two `apt-get` at once, one fails. That of another program, such as an automatic upgrade, is waited for by apt itself. */
const LOCK = '/var/lock/carillon-tests-apt';
const SCRIPT = `apt-get update -qq && apt-get install -qq -y --no-install-recommends -o DPkg::Lock::Timeout=600 "$1"`;

/** Whether this user and system can install packages. */
export function canInstallPackages(): boolean {
  return process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
}

/** @throws Error with the words of apt-get */
export async function installDebianPackage(name: string): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await run('flock', [LOCK, 'sh', '-c', SCRIPT, 'sh', name], { env });
}
