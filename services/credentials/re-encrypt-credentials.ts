/**
 * Re-encrypts with the first key what an older key encrypted: credentials, webhook secrets, the keys that sign access
 * tokens, and the apps that this install registered with servers. Afterwards the older key can be dropped.
 */
import { statement } from '../../entities/statement.ts';
import { publishesApp } from '../../platforms/connect.ts';
import { PLATFORM_IDS, platformOf } from '../../platforms/registry.ts';
import type { Context } from '../context.ts';

/** Number of encrypted values of one column per round. */
const BATCH = 500;

/** Columns with encrypted values that live as long as their row; each value is bound to the id of its row. */
export const SEALED = [
  { table: 'connections', column: 'credentials' },
  { table: 'webhooks', column: 'secret' },
  { table: 'webhooks', column: 'previous_secret' },
  { table: 'oauth_keys', column: 'jwk' },
  { table: 'platform_apps', column: 'app' },
] as const;

const FIELDS = SEALED.map(({ table, column }) => ({
  findStale: statement(`find ${table}.${column} encrypted with an older key`, {
    parameters: { older: 'text[]', limit: 'int' },
    result: { id: 'uuid', sealed: 'text' },
    // Leaves out values under a missing key: one of them would keep all others from being re-encrypted.
    sql: ({ older, limit }) => `
      select id, ${column} as sealed from ${table}
      where ${column} is not null and split_part(${column}, '.', 2) = any(${older}) limit ${limit}`,
  }),
  // Skips a credential that was renewed meanwhile: it is already encrypted with the first key.
  replace: statement(`replace ${table}.${column} by the same value under another key`, {
    parameters: { id: 'uuid', sealed: 'text', sealedAgain: 'text' },
    sql: ({ id, sealed, sealedAgain }) =>
      `update ${table} set ${column} = ${sealedAgain} where id = ${id} and ${column} = ${sealed}`,
  }),
}));

const findKeyMarks = statement('find the marks of keys that encrypted values', {
  parameters: { publishing: 'text[]' },
  result: { mark: 'text' },
  sql: ({ publishing }) =>
    SEALED.map(({ table, column }) => {
      const isNeeded = table === 'platform_apps' ? `platform_id = any(${publishing})` : `${column} is not null`;
      return `select split_part(${column}, '.', 2) as mark from ${table} where ${isNeeded}`;
    }).join(' union '),
});

/** @returns number of values re-encrypted */
export async function reEncryptCredentials(context: Context): Promise<number> {
  let reEncrypted = 0;
  for (const field of FIELDS) reEncrypted += await reEncrypt(context, field);
  return reEncrypted;
}

async function reEncrypt({ vault, db }: Context, { findStale, replace }: (typeof FIELDS)[number]): Promise<number> {
  const stale = await findStale(db.em(), { older: vault.keyMarks.slice(1), limit: BATCH });
  for (const { id, sealed } of stale) {
    await replace(db.em(), { id, sealed, sealedAgain: vault.seal(vault.open(sealed, id), id) });
  }
  return stale.length;
}

/**
 * Marks of the keys that stored values need but this install does not have; empty when no value is lost. Apps that can
 * be registered again without harm do not count: for them an install whose old key is gone would never start again.
 */
export async function missingKeyMarks(context: Context): Promise<string[]> {
  const publishing = PLATFORM_IDS.filter((id) => publishesApp(platformOf(context.platforms, id).hosted));
  const rows = await findKeyMarks(context.db.em(), { publishing });
  return rows.map((row) => row.mark).filter((mark) => !context.vault.keyMarks.includes(mark));
}
