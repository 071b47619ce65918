/** The unit for systemd, and commands of the operator beside it (docs/guide/containers.md#systemd). */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startWorld } from '../harness/world.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
const unit = await readFile(join(ROOT, 'deploy/carillon.service'), 'utf8');
const script = await readFile(join(ROOT, 'deploy/operator.sh'), 'utf8');

/** The most seconds that a process takes to end (server/start.ts). */
const STOP_SECONDS = Number(
  /STOP_TIMEOUT_MS = (\d+)_000/.exec(await readFile(join(ROOT, 'server/start.ts'), 'utf8'))?.[1],
);

/** Runs the command as systemd-run does, but as this user: with the settings, in the folder, and `$$` for `$`. */
const SYSTEMD_RUN = `#!/bin/bash
set -euo pipefail
settings=()
while [ "$1" != -- ]; do
  case "$1" in
    --working-directory=*) cd "\${1#*=}" ;;
    --property=Environment=*) read -ra settings <<<"\${1#*=*=}" ;;
    --property=EnvironmentFile=*) mapfile -t file <"\${1#*=*=}" ;;
  esac
  shift
done
shift
exec env -i "\${settings[@]}" "\${file[@]}" "\${@//\\$\\$/\\$}"
`;

/** The script on a machine whose settings and data folder are in a temporary folder. */
async function install({ settings, token }: { readonly settings: string; readonly token: string }) {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-unit-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [data, bin, file] = [join(folder, 'data'), join(folder, 'bin'), join(folder, 'environment')];
  await mkdir(data, { mode: 0o700 });
  await mkdir(bin);
  await writeFile(join(data, 'operator.token'), token, { mode: 0o600 });
  await writeFile(file, settings);
  await writeFile(join(bin, 'systemd-run'), SYSTEMD_RUN, { mode: 0o700 });
  const here = script
    .replaceAll('/opt/carillon', ROOT)
    .replaceAll('/etc/carillon/environment', file)
    .replaceAll('/var/lib/carillon', data);
  await writeFile(join(folder, 'operator.sh'), here);
  const env = { PATH: `${bin}:${process.env['PATH']}` };
  return { data, operator: (...args: string[]) => run('bash', [join(folder, 'operator.sh'), ...args], { env }) };
}

describe('the unit', () => {
  it('runs the server as a separate user, confined, with time to end', () => {
    expect(unit).toContain('ExecStart=/opt/carillon/node_modules/.bin/node server/main.js');
    for (const line of ['DynamicUser=yes', 'ProtectSystem=strict', 'NoNewPrivileges=yes', 'CapabilityBoundingSet=']) {
      expect(unit.split('\n')).toContain(line);
    }
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(STOP_SECONDS);
  });
});

describe('a command of the operator', () => {
  it('runs as the user of the unit, with its settings, in its folders', () => {
    const given = [...script.matchAll(/--property=(?:'([^']+)'|(\S+))/g)].map(([, quoted, plain]) => quoted ?? plain);
    const [directory] = /(?<=--working-directory=)\S+/.exec(script) ?? [];

    expect(given.filter((property) => !unit.split('\n').includes(property ?? ''))).toEqual([]);
    expect(given.map((property) => property?.split('=')[0])).toEqual(
      expect.arrayContaining(['EnvironmentFile', 'Environment', 'User', 'DynamicUser', 'StateDirectory', 'UMask']),
    );
    expect(unit).toContain(`WorkingDirectory=${directory}\n`);
  });

  it('finds the server by the port of its settings, and the token in its data folder', async () => {
    const token = 'operator-token-of-at-least-32-characters';
    const world = await startWorld({ env: { OPERATOR_TOKEN: token } });
    const settings = `PUBLIC_URL=https://bells.example\nPORT=${new URL(world.url).port}\n`;
    const { operator } = await install({ settings, token });

    await operator('key', 'create', '--live', '--name', 'of $HOME, $$ and "all"');

    expect((await operator('key', 'list')).stdout).toContain('of $HOME, $$ and "all"');
  });

  it('that reads the data folder reads that of the service, and ends with the exit code of the command', async () => {
    const { data, operator } = await install({ settings: 'PORT=9\n', token: 'x'.repeat(40) });

    const failure = (await operator('backup', 'verify', join(data, 'backups/none')).catch(
      (error: unknown) => error,
    )) as {
      code: number;
      stderr: string;
    };
    const report = (await operator('doctor').catch((error: unknown) => error)) as { stdout: string };

    expect([failure.code, failure.stderr]).toEqual([1, expect.stringContaining(data)]);
    expect(report.stdout).toContain(data);
  });
});
