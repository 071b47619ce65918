/**
 * `backup create`, `list`, `verify` and `restore` for installs on the embedded database (docs/operations.md#backups).
 * Creating and listing ask the running server; verifying and restoring read and write files, and need none.
 */
import { resolve } from 'node:path';
import type { BackupView } from '../server/operator-backups.ts';
import { type Environment, type OperatorClient, operatorClient, type Request, UsageError } from './operator-client.ts';
import { parseOptions } from './parse-options.ts';

const OPTIONS = {
  url: { type: 'string' },
  to: { type: 'string' },
  'data-dir': { type: 'string' },
  keys: { type: 'string' },
  replace: { type: 'boolean' },
} as const;

type Values = ReturnType<typeof parseOptions<typeof OPTIONS>>['values'];

/** @returns what to print */
export async function backupCommand(request: Request, args: string[], env: Environment): Promise<string> {
  const { values, positionals } = parseOptions(args, OPTIONS);
  const [verb = '', folder, ...more] = positionals;
  const needsFolder = verb === 'verify' || verb === 'restore';
  if (more.length > 0 || needsFolder !== (folder !== undefined)) throw new UsageError('');
  if (verb === 'create') return create(await operatorClient(request, values, env), values);
  if (verb === 'list') return list(await operatorClient(request, values, env));
  if (verb === 'verify' && folder !== undefined) return verify(folder);
  if (verb === 'restore' && folder !== undefined) return restore(folder, values, env);
  throw new UsageError('');
}

async function create(client: OperatorClient, { to }: Values): Promise<string> {
  const wanted = to === undefined ? {} : { folder: resolve(to) };
  let answer = (await client.call('POST', '/backups', wanted)) as { backup: BackupView | null };
  // Each request ends within a minute.
  while (answer.backup === null) answer = (await client.call('GET', '/backups/latest')) as typeof answer;
  return `${answer.backup.path}\n${describe(answer.backup)}\n`;
}

async function list(client: OperatorClient): Promise<string> {
  const { folder, backups } = (await client.call('GET', '/backups')) as { folder: string; backups: BackupView[] };
  if (backups.length === 0) return `There are no backups in ${folder}. Make one: backup create\n`;
  return backups.map((backup) => `${backup.path}\n${describe(backup)}\n`).join('');
}

function describe({ createdAt, version, origin, bytes, images, ...keys }: BackupView): string {
  const what = [
    `${(bytes / 1e6).toFixed(1)} MB`,
    images === null ? 'images are in S3' : `${images} images`,
    describeKeys(keys),
  ].join(', ');
  return `  ${createdAt}, version ${version}, by ${origin === 'schedule' ? 'the schedule' : 'the operator'}; ${what}`;
}

function describeKeys({ hasKeys, hasKeysElsewhere }: Pick<BackupView, 'hasKeys' | 'hasKeysElsewhere'>): string {
  if (hasKeysElsewhere) return 'its keys.json is kept elsewhere';
  return hasKeys ? 'with the encryption key' : 'without keys: keep ENCRYPTION_KEYS';
}

async function verify(folder: string): Promise<string> {
  const { verifyBackup } = await import('../services/backups/verify-backup.ts');
  const { backupView } = await import('../server/operator-backups.ts');
  const backup = await verifyBackup(resolve(folder));
  return `The backup is complete.\n${describe(backupView(backup))}\n`;
}

async function restore(folder: string, values: Values, env: Environment): Promise<string> {
  const { readConfig } = await import('../server/config.ts');
  const { restoreDataDir } = await import('../server/restore-data-dir.ts');
  const config = readConfig(env);
  const dataDir = resolve(values['data-dir'] ?? config.dataDir);
  const { backup, aside } = await restoreDataDir({
    from: resolve(folder),
    dataDir,
    replace: values.replace === true,
    keysFile: values.keys,
    givenKeys: config.encryptionKeys,
  });
  const lines = [
    `${dataDir} has the install of ${backup.manifest.createdAt}.`,
    ...(aside === null ? [] : [`What was there before is in ${aside}.`]),
    'Posts that are due at the next start are held. After it, decide about them: restore settle, or restore release.',
  ];
  return `${lines.join('\n')}\n`;
}
