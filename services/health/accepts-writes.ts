/**
 * Whether the database accepts writes: what `/readyz`, `carillon_ready` and `checks.database` of `GET /health` say. A standby
 * or a read-only server answers queries, but no request and no send succeeds there (docs/operations.md#failover).
 */
import { statement } from '../../entities/statement.ts';
import type { Context } from '../context.ts';
import { withinDatabaseTimeout } from './database-timeout.ts';

const checkWrites = statement('check that the database accepts writes', {
  result: { accepts: 'boolean' },
  sql: () => `select not pg_is_in_recovery() and not current_setting('transaction_read_only')::boolean as accepts`,
});

/** @returns false also when the database does not answer in time */
export async function acceptsWrites(context: Pick<Context, 'clock' | 'db'>): Promise<boolean> {
  const rows = await withinDatabaseTimeout(context, checkWrites(context.db.queries));
  return rows?.[0]?.accepts === true;
}
