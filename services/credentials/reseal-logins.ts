/** Encrypts again, under the first key, the logins that an older key encrypted; after that the older key can be dropped. */
import { query } from '../../entities/query.ts';
import type { Context } from '../context.ts';

/** Logins handled in one round. */
const BATCH = 500;

interface SealedRow {
  id: string;
  credentials: string;
}

/** @returns how many logins were encrypted again */
export async function resealLogins(context: Context): Promise<number> {
  const { vault, db } = context;
  const current = `v1.${vault.keyMarks[0]}.%`;
  const sql =
    'select id, credentials from connections where credentials is not null and credentials not like $1 limit $2';
  const stale = await query<SealedRow>(db.em(), sql, [current, BATCH]);
  for (const { id, credentials } of stale) {
    const sealed = vault.seal(vault.open(credentials, id), id);
    // A login that was renewed meanwhile is left alone: it is under the first key already.
    await query(db.em(), 'update connections set credentials = $2 where id = $1 and credentials = $3', [
      id,
      sealed,
      credentials,
    ]);
  }
  return stale.length;
}

/** Marks of the keys that stored logins need and this install was not given; empty when all can be read. */
export async function missingKeyMarks(context: Context): Promise<string[]> {
  const sql = `select distinct split_part(credentials, '.', 2) as mark from connections where credentials is not null`;
  const rows = await query<{ mark: string }>(context.db.em(), sql);
  return rows.map((row) => row.mark).filter((mark) => !context.vault.keyMarks.includes(mark));
}
