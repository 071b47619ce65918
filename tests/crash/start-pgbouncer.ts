/** The real PgBouncer in transaction mode, from Debian's package, in front of a database of the test server. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { onTestFinished } from 'vitest';
import { canInstallPackages, installDebianPackage } from '../harness/install-debian-package.ts';
import { freePort, newFolder } from './server-process.ts';
import { waitUntil } from './wait-until.ts';

const DEBIANS = '/usr/sbin/pgbouncer';

const isRoot = process.getuid?.() === 0;

/** PgBouncer refuses to run as root. */
const ACCOUNT = isRoot ? { uid: 65_534, gid: 65_534 } : {};

/** Installs Debian's package if it is missing. Returns whether PgBouncer is there. */
export async function ensurePgBouncer(): Promise<boolean> {
  if (existsSync(DEBIANS)) return true;
  if (!canInstallPackages()) {
    console.log(`Skipped: there is no ${DEBIANS}, and only root can install it, with apt-get.`);
    return false;
  }
  console.log('Installing pgbouncer from Debian (once, about 1 MB).');
  await installDebianPackage('pgbouncer');
  return existsSync(DEBIANS);
}

/**
 * Starts it in front of the server of `url`.
 *
 * @param poolSize connections to the server
 * @returns the same URL, through PgBouncer
 */
export async function startPgBouncer(url: string, poolSize: number): Promise<string> {
  const { hostname, port: serverPort, username, password } = new URL(url);
  const folder = await newFolder();
  const port = await freePort();
  const ini = join(folder, 'pgbouncer.ini');
  const secret = password === '' ? '' : ` password=${decodeURIComponent(password)}`;
  await writeFile(
    ini,
    `[databases]
* = host=${hostname} port=${serverPort || '5432'} user=${username}${secret}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
auth_type = any
pool_mode = transaction
default_pool_size = ${poolSize}
unix_socket_dir =
`,
  );
  await chmod(folder, 0o700);
  if (isRoot) for (const path of [folder, ini]) await chown(path, ACCOUNT.uid ?? 0, ACCOUNT.gid ?? 0);
  const child = spawn(DEBIANS, ['-q', ini], { ...ACCOUNT, cwd: '/', stdio: 'ignore' });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String(port);
  await waitUntil('PgBouncer answers', async () => {
    const client = new Client({ connectionString: through.href });
    try {
      await client.connect();
      await client.query('select 1');
      return true;
    } catch (error) {
      if (child.exitCode !== null) throw error;
      return false;
    } finally {
      await client.end().catch(() => undefined);
    }
  });
  return through.href;
}
