/** The row by which processes notice a restored backup. The first process that starts inserts it. */
import { StepMigration } from './step-migration.ts';

export class DatabaseMarks extends StepMigration {
  override up(): void {
    this.addSql(`create table if not exists "database_marks" (
      "id" int not null,
      "home" text null,
      "beat" int not null default 0,
      "held_until" timestamptz(3) null,
      "is_settling" boolean not null default false,
      primary key ("id")
    )`);
  }
}
