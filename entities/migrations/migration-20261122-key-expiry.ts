/** Keys that end at an instant. */
import { StepMigration } from './step-migration.ts';

export class KeyExpiry extends StepMigration {
  override up(): void {
    this.addSql(`alter table "api_keys" add column if not exists "expires_at" timestamptz(3) null`);
  }
}
