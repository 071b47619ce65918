/**
 * Re-encrypts with the first key what an older key encrypted: credentials, webhook secrets and the keys that sign
 * access tokens. Afterwards the older key can be dropped.
 */
import { query } from '../../entities/query.ts';
import type { Context } from '../context.ts';

/** Number of encrypted values of one column per round. */
const BATCH = 500;

/** Columns with encrypted values that live as long as their row; each value is bound to the id of its row. */
const SEALED = [
  { table: 'connections', column: 'credentials' },
  { table: 'webhooks', column: 'secret' },
  { table: 'webhooks', column: 'previous_secret' },
  { table: 'oauth_keys', column: 'jwk' },
] as const;

interface SealedRow {
  id: string;
  sealed: string;
}

/** @returns number of values re-encrypted */
export async function reEncryptCredentials(context: Context): Promise<number> {
  let reEncrypted = 0;
  for (const place of SEALED) reEncrypted += await reEncrypt(context, place);
  return reEncrypted;
}

async function reEncrypt({ vault, db }: Context, { table, column }: (typeof SEALED)[number]): Promise<number> {
  const current = `v1.${vault.keyMarks[0]}.%`;
  const sql = `select id, ${column} as sealed from ${table} where ${column} is not null and ${column} not like $1 limit $2`;
  const stale = await query<SealedRow>(db.em(), sql, [current, BATCH]);
  for (const { id, sealed } of stale) {
    const anew = vault.seal(vault.open(sealed, id), id);
    // Skips a credential that was renewed meanwhile: it is already encrypted with the first key.
    await query(db.em(), `update ${table} set ${column} = $2 where id = $1 and ${column} = $3`, [id, anew, sealed]);
  }
  return stale.length;
}

/** Marks of the keys that stored values need but this install does not have; empty when all values can be decrypted. */
export async function missingKeyMarks(context: Context): Promise<string[]> {
  const marks = SEALED.map(
    ({ table, column }) => `select split_part(${column}, '.', 2) as mark from ${table} where ${column} is not null`,
  );
  const rows = await query<{ mark: string }>(context.db.em(), marks.join(' union '));
  return rows.map((row) => row.mark).filter((mark) => !context.vault.keyMarks.includes(mark));
}
