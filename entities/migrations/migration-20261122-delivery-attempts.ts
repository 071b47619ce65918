/** Gives deliveries a log of their attempts. Attempts before this migration are not in it. */
import { StepMigration } from './step-migration.ts';

export class DeliveryAttempts extends StepMigration {
  override up(): void {
    this.addSql(`alter table "deliveries" add column if not exists "attempt_log" jsonb null`);
  }
}
