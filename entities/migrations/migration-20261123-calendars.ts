/** Private calendar addresses. */
import { StepMigration } from './step-migration.ts';

export class Calendars extends StepMigration {
  override up(): void {
    this.addSql(`create table if not exists "calendars" (
      "id" uuid not null,
      "account_id" uuid not null,
      "profile_id" uuid null,
      "connection_id" uuid null,
      "mode" text not null,
      "name" text not null,
      "free_slots" boolean not null,
      "secret_hash" varchar(64) not null,
      "created_by_key_id" uuid null,
      "grant_id" uuid null,
      "created_at" timestamptz(3) not null,
      "renewed_at" timestamptz(3) not null,
      primary key ("id"),
      constraint "calendars_secret_hash_unique" unique ("secret_hash"),
      constraint "calendars_mode_check" check ("mode" in ('live', 'test')),
      constraint "calendars_account_id_foreign" foreign key ("account_id") references "accounts" ("id"),
      constraint "calendars_profile_id_foreign" foreign key ("profile_id") references "profiles" ("id") on delete no action,
      constraint "calendars_connection_id_foreign" foreign key ("connection_id") references "connections" ("id") on delete no action
    )`);
    this.addSql(`create index if not exists "calendars_account_id_id_index" on "calendars" ("account_id", "id")`);
  }
}
