/** RSS and Atom feeds, and the items of them that were seen. */
import { StepMigration } from './step-migration.ts';

export class Feeds extends StepMigration {
  override up(): void {
    this.addSql(`create table if not exists "feeds" (
      "id" uuid not null,
      "account_id" uuid not null,
      "profile_id" uuid null,
      "mode" text not null,
      "caller" jsonb not null,
      "surface" text not null,
      "url" text not null,
      "connection_slugs" text[] not null,
      "target_profile_id" uuid null,
      "template" text not null,
      "delivery" text not null,
      "interval_minutes" int not null,
      "created_at" timestamptz(3) not null,
      "disabled_at" timestamptz(3) null,
      "disabled_reason" text null,
      "next_poll_at" timestamptz(3) not null,
      "last_polled_at" timestamptz(3) null,
      "last_ok_at" timestamptz(3) null,
      "failing_since" timestamptz(3) null,
      "failures" int not null default 0,
      "last_error" text null,
      "etag" text null,
      "last_modified" text null,
      primary key ("id"),
      constraint "feeds_mode_check" check ("mode" in ('live', 'test')),
      constraint "feeds_surface_check" check ("surface" in ('rest', 'trpc', 'mcp', 'console', 'connect_page', 'operator', 'oauth')),
      constraint "feeds_delivery_check" check ("delivery" in ('draft', 'queue')),
      constraint "feeds_disabled_reason_check" check ("disabled_reason" in ('requested', 'failing', 'gone', 'ended')),
      constraint "feeds_account_id_foreign" foreign key ("account_id") references "accounts" ("id")
    )`);
    this.addSql(`create index if not exists "feeds_account_id_id_index" on "feeds" ("account_id", "id")`);
    this.addSql(
      `create index if not exists "feeds_due_index" on "feeds" ("next_poll_at") where ("disabled_at" is null)`,
    );
    this.addSql(`create table if not exists "feed_items" (
      "id" uuid not null,
      "feed_id" uuid not null,
      "key_hash" varchar(64) not null,
      "link_hash" varchar(64) null,
      "title" text not null,
      "link" text null,
      "status" text not null,
      "results" jsonb not null,
      "error_code" varchar(255) null,
      "error_message" text null,
      "created_at" timestamptz(3) not null,
      primary key ("id"),
      constraint "feed_items_key_unique" unique ("feed_id", "key_hash"),
      constraint "feed_items_status_check" check ("status" in ('passed', 'created', 'failed')),
      constraint "feed_items_feed_id_foreign" foreign key ("feed_id") references "feeds" ("id") on delete cascade
    )`);
    this.addSql(`create index if not exists "feed_items_feed_id_id_index" on "feed_items" ("feed_id", "id")`);
    this.addSql(
      `create index if not exists "feed_items_feed_id_link_hash_index" on "feed_items" ("feed_id", "link_hash")`,
    );
  }
}
