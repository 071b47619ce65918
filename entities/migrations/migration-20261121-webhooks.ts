/** Webhooks and their deliveries, and events that wait to be fanned out to them. */
import { Migration } from '@mikro-orm/migrations';

export class Webhooks extends Migration {
  override up(): void {
    this.addSql(
      `create table "webhooks" ("id" uuid not null, "account_id" uuid not null, "profile_id" uuid null, "mode" text not null, "url" text not null, "events" text[] null, "secret" text null, "created_at" timestamptz(3) not null, "deleted_at" timestamptz(3) null, "lane" uuid null, "lane_until" timestamptz(3) null, "failing" boolean not null default false, primary key ("id"))`,
    );
    this.addSql(`alter table "events" drop constraint "events_name_check"`);
    this.addSql(`alter table "events" add "fanned_out_at" timestamptz(3) null`);
    // What happened before there were webhooks has no deliveries to make.
    this.addSql(`update "events" set "fanned_out_at" = "created_at"`);
    this.addSql(`create index "events_waiting_index" on "events" ("id") where ("fanned_out_at" is null)`);
    this.addSql(
      `alter table "events" add constraint "events_name_check" check ("name" in ('post.sent', 'post.failed', 'post.deleted', 'post.metrics', 'post.rescheduled', 'connection.created', 'connection.removed'))`,
    );

    this.addSql(`create index "webhooks_account_id_id_index" on "webhooks" ("account_id", "id")`);
    this.addSql(`create index "webhooks_lane_index" on "webhooks" ("lane_until") where ("lane_until" is not null)`);
    this.addSql(
      `create table "deliveries" ("id" uuid not null, "webhook_id" uuid not null, "source_id" uuid null, "event" text not null, "mode" text not null, "body" text not null, "status" text not null default 'pending', "attempts" int not null default 0, "created_at" timestamptz(3) not null, "next_attempt_at" timestamptz(3) not null, "delivered_at" timestamptz(3) null, "dead_at" timestamptz(3) null, "last_status_code" int null, "last_error" text null, "claim" uuid null, primary key ("id"))`,
    );
    this.addSql(`create index "deliveries_webhook_id_id_index" on "deliveries" ("webhook_id", "id")`);
    this.addSql(
      `create index "deliveries_ended_index" on "deliveries" ("webhook_id", "id") where ("status" in ('failed', 'dead'))`,
    );
    this.addSql(
      `create index "deliveries_open_index" on "deliveries" ("webhook_id", "next_attempt_at", "id") where ("status" in ('pending', 'processing'))`,
    );
    this.addSql(`create index "deliveries_due_index" on "deliveries" ("next_attempt_at") where ("status" = 'pending')`);
    this.addSql(
      `alter table "deliveries" add constraint "deliveries_source_id_webhook_id_unique" unique ("source_id", "webhook_id")`,
    );
    this.addSql(
      `alter table "webhooks" add constraint "webhooks_account_id_foreign" foreign key ("account_id") references "accounts" ("id")`,
    );
    this.addSql(
      `alter table "webhooks" add constraint "webhooks_profile_id_foreign" foreign key ("profile_id") references "profiles" ("id") on delete no action`,
    );
    this.addSql(`alter table "webhooks" add constraint "webhooks_mode_check" check ("mode" in ('live', 'test'))`);
    this.addSql(
      `alter table "deliveries" add constraint "deliveries_webhook_id_foreign" foreign key ("webhook_id") references "webhooks" ("id")`,
    );
    this.addSql(
      `alter table "deliveries" add constraint "deliveries_event_check" check ("event" in ('post.sent', 'post.failed', 'post.deleted', 'post.metrics', 'post.rescheduled', 'connection.created', 'connection.removed'))`,
    );
    this.addSql(`alter table "deliveries" add constraint "deliveries_mode_check" check ("mode" in ('live', 'test'))`);
    this.addSql(
      `alter table "deliveries" add constraint "deliveries_status_check" check ("status" in ('pending', 'processing', 'delivered', 'failed', 'dead'))`,
    );
  }
}
