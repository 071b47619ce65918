/** Says of a post whether a worker reads its metrics (docs/decisions/0128-mark-the-read-that-a-worker-has-claimed.md). */
import { StepMigration } from './step-migration.ts';

export class ReadLeases extends StepMigration {
  override up(): void {
    this.addSql(`alter table "posts" add column if not exists "read_lease_until" timestamptz(3) null`);
  }
}
