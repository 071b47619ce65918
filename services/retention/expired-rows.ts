/** Makes the rules that remove expired rows of one table, at most 1,000 in one statement. */
import { statement } from '../../entities/statement.ts';
import type { Schema } from '../../entities/tables.ts';
import type { Context } from '../context.ts';
import { earliestId } from '../ids.ts';
import { ROWS_AT_ONCE, type RetentionRule } from '../retention-rule.ts';

interface ExpiredRows {
  readonly table: keyof Schema;
  /** A row that is exactly as old is removed. */
  readonly keptMs: number;
}

interface ExpiredByTime extends ExpiredRows {
  /** From when a row is kept; the table has an index by it. */
  readonly column: string;
  /** Further SQL condition on the row `t`. */
  readonly condition?: string;
}

export function removeByTime({ table, column, keptMs, condition }: ExpiredByTime): RetentionRule {
  const remove = statement(`remove expired rows of ${table}`, {
    parameters: { before: 'timestamptz' },
    result: { removed: 'int' },
    sql: ({ before }) => {
      const isExpired = `t.${column} <= ${before}`;
      return removalSql(table, condition === undefined ? isExpired : `${isExpired} and ${condition}`, `t.${column}`);
    },
  });
  return removing((context) => remove(context.db.em(), { before: instantBefore(context, keptMs) }));
}

interface RowsAhead extends Pick<ExpiredByTime, 'table' | 'column'> {
  /** A row of a later time than this from now is removed. */
  readonly aheadMs: number;
}

/** For rows that count until their time is over: those of before the clock was set back would count for as long. */
export function removeAhead({ table, column, aheadMs }: RowsAhead): RetentionRule {
  const remove = statement(`remove rows of ${table} from a later time`, {
    parameters: { after: 'timestamptz' },
    result: { removed: 'int' },
    sql: ({ after }) => removalSql(table, `t.${column} > ${after}`, `t.${column}`),
  });
  return removing((context) => remove(context.db.em(), { after: instantBefore(context, -aheadMs) }));
}

interface ExpiredById extends ExpiredRows {
  /** SQL condition on the row `t`, given the instant up to which rows are expired. */
  readonly condition: (before: string) => string;
}

/** For tables without an index by time: ids sort by time, so the primary key finds the oldest rows. */
export function removeById({ table, keptMs, condition }: ExpiredById): RetentionRule {
  const remove = statement(`remove expired rows of ${table}`, {
    parameters: { beforeId: 'uuid', before: 'timestamptz' },
    result: { removed: 'int' },
    sql: ({ beforeId, before }) => removalSql(table, `t.id < ${beforeId} and ${condition(before)}`, 't.id'),
  });
  return removing((context) => {
    const before = instantBefore(context, keptMs);
    return remove(context.db.em(), { beforeId: earliestId(before), before });
  });
}

/**
 * Rows are locked before they are removed, so that parallel workers take different ones. They are found once and named
 * by their place in the table, so that PostgreSQL cannot choose to scan the whole table for them.
 */
function removalSql(table: keyof Schema, condition: string, order: string): string {
  return `
    with removed as (
      delete from ${table} where ctid = any(array(
        select t.ctid from ${table} t where ${condition} order by ${order} limit ${ROWS_AT_ONCE} for update skip locked))
      returning 1
    ) select count(*)::int as removed from removed`;
}

/** @param ms ago; negative for an instant that is still to come */
function instantBefore(context: Context, ms: number): Date {
  return new Date(context.clock.now().getTime() - ms);
}

function removing(remove: (context: Context) => Promise<readonly { readonly removed: number }[]>): RetentionRule {
  return {
    step: async (context) => {
      const [row] = await remove(context);
      return row?.removed === ROWS_AT_ONCE;
    },
  };
}
