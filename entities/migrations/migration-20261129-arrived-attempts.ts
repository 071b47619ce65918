/** Says of an unavailable call whether it may still arrive (docs/decisions/0146-wait-for-the-answer-about-lost-sends.md). */
import { StepMigration } from './step-migration.ts';

export class ArrivedAttempts extends StepMigration {
  override up(): void {
    this.addSql(`alter table "attempts" add column if not exists "may_have_arrived" boolean null`);
  }
}
