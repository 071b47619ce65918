/** `database copy`: moves an install between the embedded database and PostgreSQL, while no server runs. */
import { resolve } from 'node:path';
import { type Environment, UsageError } from './operator-client.ts';
import { parseOptions } from './parse-options.ts';

const OPTIONS = { to: { type: 'string' }, from: { type: 'string' }, 'data-dir': { type: 'string' } } as const;

const HELD =
  'The source is a restored backup, or was copied before: posts that are due at the next start are held. After it, decide about them: restore settle, or restore release.';

const POSTGRES_URL = /^postgres(?:ql)?:\/\//;

/** @returns what to print */
export async function databaseCommand(args: string[], env: Environment): Promise<string> {
  const { values, positionals } = parseOptions(args, OPTIONS);
  const { to, from } = values;
  const url = to ?? from ?? '';
  if (positionals.join() !== 'copy' || (to === undefined) === (from === undefined)) throw new UsageError('');
  if (!POSTGRES_URL.test(url)) {
    throw new UsageError(`--${to === undefined ? 'from' : 'to'}: expected a URL that begins with postgres://.`);
  }
  const dataDir = resolve(values['data-dir'] ?? env['DATA_DIR'] ?? './data');
  const { copyFromPostgres, copyToPostgres } = await import('../server/copy-install.ts');
  const { tables, isRestored } = await (to === undefined
    ? copyFromPostgres(url, dataDir)
    : copyToPostgres(dataDir, url));
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const next =
    to === undefined
      ? `Unset DATABASE_URL and start with DATA_DIR=${dataDir}.`
      : `Set DATABASE_URL and start with the same DATA_DIR (${dataDir}), which has the encryption key and the images.`;
  const lines = [
    `${tables.length} tables with ${rows} rows are copied; counts and checksums are equal.`,
    next,
    ...(isRestored ? [HELD] : []),
  ];
  return `${lines.join('\n')}\n`;
}
