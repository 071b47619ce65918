/**
 * Re-encrypts with the first key what an older key encrypted: credentials, webhook secrets and the keys that sign
 * access tokens. Afterwards the older key can be dropped.
 */
import { statement } from '../../entities/statement.ts';
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

const FIELDS = SEALED.map(({ table, column }) => ({
  findStale: statement(`find ${table}.${column} encrypted with an older key`, {
    parameters: { current: 'text', limit: 'int' },
    result: { id: 'uuid', sealed: 'text' },
    sql: ({ current, limit }) => `
      select id, ${column} as sealed from ${table}
      where ${column} is not null and ${column} not like ${current} limit ${limit}`,
  }),
  // Skips a credential that was renewed meanwhile: it is already encrypted with the first key.
  replace: statement(`replace ${table}.${column} by the same value under another key`, {
    parameters: { id: 'uuid', sealed: 'text', sealedAgain: 'text' },
    sql: ({ id, sealed, sealedAgain }) =>
      `update ${table} set ${column} = ${sealedAgain} where id = ${id} and ${column} = ${sealed}`,
  }),
}));

const findKeyMarks = statement('find the marks of keys that encrypted values', {
  result: { mark: 'text' },
  sql: () =>
    SEALED.map(
      ({ table, column }) => `select split_part(${column}, '.', 2) as mark from ${table} where ${column} is not null`,
    ).join(' union '),
});

/** @returns number of values re-encrypted */
export async function reEncryptCredentials(context: Context): Promise<number> {
  let reEncrypted = 0;
  for (const field of FIELDS) reEncrypted += await reEncrypt(context, field);
  return reEncrypted;
}

async function reEncrypt({ vault, db }: Context, { findStale, replace }: (typeof FIELDS)[number]): Promise<number> {
  const stale = await findStale(db.em(), { current: `v1.${vault.keyMarks[0]}.%`, limit: BATCH });
  for (const { id, sealed } of stale) {
    await replace(db.em(), { id, sealed, sealedAgain: vault.seal(vault.open(sealed, id), id) });
  }
  return stale.length;
}

/** Marks of the keys that stored values need but this install does not have; empty when all values can be decrypted. */
export async function missingKeyMarks(context: Context): Promise<string[]> {
  const rows = await findKeyMarks(context.db.em());
  return rows.map((row) => row.mark).filter((mark) => !context.vault.keyMarks.includes(mark));
}
