/** The brand voice of a profile. */
import { StepMigration } from './step-migration.ts';

export class ProfileVoices extends StepMigration {
  override up(): void {
    this.addSql(`alter table "profiles" add column if not exists "voice" jsonb null`);
  }
}
