/** Stops, and the posts that they hold. */
import { StepMigration } from './step-migration.ts';

export class Stops extends StepMigration {
  override up(): void {
    this.addSql(`alter table "posts" add column if not exists "stop_id" uuid null`);
    this.addSql(`create index if not exists "posts_stop_index" on "posts" ("stop_id") where ("stop_id" is not null)`);
    this.addSql(`create table if not exists "stops" (
      "id" uuid not null,
      "account_id" uuid not null,
      "kind" text not null,
      "target_id" uuid not null,
      "reason" text null,
      "started_at" timestamptz(3) not null,
      "started_by_kind" text not null,
      "started_by_id" uuid not null,
      "started_by_name" text not null,
      "released_at" timestamptz(3) null,
      "released_by_name" text null,
      "outcome" text null,
      primary key ("id"),
      constraint "stops_kind_check" check ("kind" in ('account', 'profile', 'key', 'grant')),
      constraint "stops_started_by_kind_check" check ("started_by_kind" in ('key', 'grant', 'person')),
      constraint "stops_outcome_check" check ("outcome" in ('sent', 'dropped')),
      constraint "stops_account_id_foreign" foreign key ("account_id") references "accounts" ("id")
    )`);
    this.addSql(`create index if not exists "stops_account_id_id_index" on "stops" ("account_id", "id")`);
    this.addSql(
      `create unique index if not exists "stops_active_unique" on "stops" ("account_id", "kind", "target_id") where ("released_at" is null)`,
    );
  }
}
