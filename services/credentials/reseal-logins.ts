/**
 * Encrypts again, under the first key, what an older key encrypted: logins, the secrets of webhooks and the keys that
 * sign access tokens. After that the older key can be dropped.
 */
import { query } from '../../entities/query.ts';
import type { Context } from '../context.ts';

/** Texts of one column handled in one round. */
const BATCH = 500;

/** Where encrypted texts are stored that live as long as their row; each is sealed for its row's id. */
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

/** @returns how many texts were encrypted again */
export async function resealLogins(context: Context): Promise<number> {
  let resealed = 0;
  for (const place of SEALED) resealed += await reseal(context, place);
  return resealed;
}

async function reseal({ vault, db }: Context, { table, column }: (typeof SEALED)[number]): Promise<number> {
  const current = `v1.${vault.keyMarks[0]}.%`;
  const sql = `select id, ${column} as sealed from ${table} where ${column} is not null and ${column} not like $1 limit $2`;
  const stale = await query<SealedRow>(db.em(), sql, [current, BATCH]);
  for (const { id, sealed } of stale) {
    const anew = vault.seal(vault.open(sealed, id), id);
    // A login that was renewed meanwhile is left alone: it is under the first key already.
    await query(db.em(), `update ${table} set ${column} = $2 where id = $1 and ${column} = $3`, [id, anew, sealed]);
  }
  return stale.length;
}

/** Marks of the keys that stored texts need and this install was not given; empty when all can be read. */
export async function missingKeyMarks(context: Context): Promise<string[]> {
  const marks = SEALED.map(
    ({ table, column }) => `select split_part(${column}, '.', 2) as mark from ${table} where ${column} is not null`,
  );
  const rows = await query<{ mark: string }>(context.db.em(), marks.join(' union '));
  return rows.map((row) => row.mark).filter((mark) => !context.vault.keyMarks.includes(mark));
}
