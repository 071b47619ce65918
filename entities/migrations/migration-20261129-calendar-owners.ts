/** Says of a calendar which person made it (docs/contract/calendars.md#addresses). Nothing says so of earlier ones. */
import { StepMigration } from './step-migration.ts';

export class CalendarOwners extends StepMigration {
  override up(): void {
    this.addSql(`alter table "calendars" add column if not exists "owner_id" uuid null`);
  }
}
