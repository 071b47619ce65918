/**
 * What autovacuum does on a server, for the embedded database, which has no such process: analyzes and vacuums a table
 * once enough of its rows have changed. Without it, plans are made for empty tables and kept. Also tells which statements may
 * have made work due.
 */
import type { PGlite, Transaction } from '@electric-sql/pglite';
import { createRowChanges, mayChangeDueTimes, type ReportedChanges } from './row-changes.ts';

/** After this many statements the tables are looked at, which takes about as long as one statement. */
const LOOK_AFTER = 250;

/** A table is due after this many changed rows and this share of its rows: the defaults of PostgreSQL's autovacuum. */
const ANALYZE = { rows: 50, share: 0.1 } as const;
const VACUUM = { rows: 50, share: 0.2 } as const;
/** A table that only grows is vacuumed too, for the map of its pages that all can see. */
const VACUUM_GROWN = { rows: 1_000, share: 0.2 } as const;

const isDue = (changed: string, { rows, share }: { rows: number; share: number }) =>
  `${changed} > ${rows} + ${share} * n_live_tup`;

const DUE_TABLES = `
  select * from (
    select quote_ident(relname) as name,
      ${isDue('n_dead_tup', VACUUM)} or ${isDue('n_ins_since_vacuum', VACUUM_GROWN)} as needs_vacuum,
      ${isDue('n_mod_since_analyze', ANALYZE)} as needs_analyze
    from pg_stat_user_tables where schemaname = 'public') tables
  where needs_vacuum or needs_analyze`;

interface DueTable {
  readonly name: string;
  readonly needs_vacuum: boolean;
  readonly needs_analyze: boolean;
}

/** A checkpoint follows when the log has grown by so many bytes: without one, no segment of it is ever removed. */
const LOG_BYTES_MAX = 64 * 1024 * 1024;

const LOG_SINCE_CHECKPOINT = `
  select pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn)::float8 as bytes from pg_control_checkpoint()`;

export interface MaintainedPglite {
  /** Runs statements like the instance, and counts them. */
  readonly lite: PGlite;
  readonly changes: ReportedChanges;
  /** Starts nothing new; resolves when no maintenance is in progress. */
  stop(): Promise<void>;
}

/**
 * Maintains the tables between two statements, whenever enough have run.
 *
 * @param onError called when a maintenance failed; the next one follows after as many statements
 */
export function maintainEmbedded(lite: PGlite, onError: (error: unknown) => void): MaintainedPglite {
  let statements = 0;
  let running: Promise<void> | null = null;
  let stopped = false;
  const changes = createRowChanges();

  const maintain = async () => {
    // Counts of changed rows show at the end of a transaction, at most once a second unless asked for.
    await lite.exec('select pg_stat_force_next_flush()');
    const { rows } = await lite.query<DueTable>(DUE_TABLES);
    for (const { name, needs_vacuum, needs_analyze } of rows) {
      if (stopped) return;
      await lite.exec(`${needs_vacuum ? 'vacuum ' : ''}${needs_analyze ? 'analyze ' : ''}${name}`);
    }
    const { rows: log } = await lite.query<{ bytes: number }>(LOG_SINCE_CHECKPOINT);
    if ((log[0]?.bytes ?? 0) > LOG_BYTES_MAX && !stopped) await lite.exec('checkpoint');
  };

  const count = () => {
    statements += 1;
    if (statements < LOOK_AFTER || running !== null || stopped) return;
    statements = 0;
    running = maintain()
      .catch(onError)
      .finally(() => (running = null));
  };

  const query = observeQuery(lite, changes.report);
  const counting: Pick<PGlite, 'query' | 'transaction'> = {
    query: (...statement) => {
      count();
      return query(...statement);
    },
    transaction: async (work) => {
      count();
      let hasChanged = false;
      const observe = (transaction: Transaction) =>
        replace(transaction, { query: observeQuery(transaction, () => (hasChanged = true)) });
      const answer = await lite.transaction((transaction) => work(observe(transaction)));
      if (hasChanged) changes.report();
      return answer;
    },
  };
  return {
    changes,
    lite: replace(lite, counting),
    stop: async () => {
      stopped = true;
      await running;
    },
  };
}

/** Runs statements there, and calls `onChange` after each that has changed when work is due. */
function observeQuery(at: Pick<PGlite, 'query'>, onChange: () => void): PGlite['query'] {
  return async <Row>(...[sql, ...rest]: Parameters<PGlite['query']>) => {
    const answer = await at.query<Row>(sql, ...rest);
    // A statement whose changes are in a CTE reports no affected rows, and returns what it did.
    const didSomething = (answer.affectedRows ?? 0) > 0 || answer.rows.length > 0;
    if (didSomething && mayChangeDueTimes(sql)) onChange();
    return answer;
  };
}

/** The same object with other methods in some places. */
function replace<Whole extends object>(whole: Whole, methods: Partial<Whole>): Whole {
  return new Proxy(whole, {
    get: (target, name) => {
      const other: unknown = Reflect.get(methods, name);
      if (other !== undefined) return other;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
