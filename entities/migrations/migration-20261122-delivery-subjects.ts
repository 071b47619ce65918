/** Gives deliveries the post or connection that their event is about: deliveries about the same one stay in order. */
import { StepMigration } from './step-migration.ts';

export class DeliverySubjects extends StepMigration {
  override up(): void {
    this.addSql(`alter table "deliveries" add column if not exists "subject_id" uuid null`);
  }
}
