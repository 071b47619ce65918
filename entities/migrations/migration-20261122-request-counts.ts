/**
 * Makes counting a request cost the same at any rate. A connection keeps the plan of its first requests, made when the
 * window was almost empty: it read the whole table. Retention finds expired rows by a block index, because the requests of
 * all keys arrive in the order of their time.
 */
import { StepMigration } from './step-migration.ts';

const STATEMENTS = [
  `drop index if exists "rate_limit_hits_at_index"`,
  `create index if not exists "rate_limit_hits_at_range" on "rate_limit_hits" using brin ("at")`,
  // The oldest request of a window is the first entry of the primary key, and these settings leave no other plan.
  `alter function take_rate_limit(text, timestamptz, int, int, int) set enable_seqscan = off`,
  `alter function take_rate_limit(text, timestamptz, int, int, int) set enable_bitmapscan = off`,
];

export class RequestCounts extends StepMigration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}
