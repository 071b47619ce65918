/**
 * Lets autovacuum look at large tables by a share that they reach in hours and not in months
 * (docs/decisions/0090-vacuum-large-tables-after-a-fiftieth-of-their-rows.md). Takes no lock that reads or writes wait for.
 */
import { StepMigration } from './step-migration.ts';

/** Tables with a row or more for each post, and most of their rows removed or updated later. */
const LARGE = ['posts', 'attempts', 'events', 'deliveries', 'metrics_reads', 'audit_entries', 'idempotency_records'];

/** Rows that are updated often, in no indexed column: free space on each page keeps the new version on it. */
const UPDATED_IN_PLACE = ['daily_numbers', 'accounts', 'connections'];

const STATEMENTS = [
  ...LARGE.map(
    (table) => `alter table "${table}" set (
      autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
      autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02)`,
  ),
  ...UPDATED_IN_PLACE.map((table) => `alter table "${table}" set (fillfactor = 80)`),
];

export class VacuumLargeTables extends StepMigration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}
