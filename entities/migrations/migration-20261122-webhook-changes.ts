/** Adds changes, secret rotation and disabling of webhooks, opt-in events, and mails to owners. */
import { Migration } from '@mikro-orm/migrations';

const EVENTS = `'post.sent', 'post.failed', 'post.deleted', 'post.metrics', 'post.rescheduled', 'connection.created', 'connection.removed', 'webhook.disabled'`;

export class WebhookChanges extends Migration {
  override up(): void {
    this.addSql(
      `alter table "webhooks" add "description" text null, add "disabled_at" timestamptz(3) null, add "disabled_reason" text null, add "previous_secret" text null, add "previous_secret_until" timestamptz(3) null, add "revision" int not null default 0, add "failing_since" timestamptz(3) null, add "last_failed_at" timestamptz(3) null`,
    );
    this.addSql(
      `alter table "webhooks" add constraint "webhooks_disabled_reason_check" check ("disabled_reason" in ('requested', 'failing'))`,
    );
    this.addSql(
      `create index "webhooks_failing_index" on "webhooks" ("failing_since") where ("failing_since" is not null and "disabled_at" is null and "deleted_at" is null)`,
    );
    this.addSql(`alter table "deliveries" add "paused" boolean not null default false`);
    this.addSql(`drop index "deliveries_open_index"`);
    this.addSql(
      `create index "deliveries_open_index" on "deliveries" ("webhook_id", "next_attempt_at", "id") where ("status" in ('pending', 'processing') and not "paused")`,
    );
    this.addSql(`drop index "deliveries_due_index"`);
    this.addSql(
      `create index "deliveries_due_index" on "deliveries" ("next_attempt_at") where ("status" = 'pending' and not "paused")`,
    );
    this.addSql(`alter table "events" drop constraint "events_name_check"`);
    this.addSql(`alter table "events" add constraint "events_name_check" check ("name" in (${EVENTS}))`);
    this.addSql(`alter table "deliveries" drop constraint "deliveries_event_check"`);
    this.addSql(`alter table "deliveries" add constraint "deliveries_event_check" check ("event" in (${EVENTS}))`);
    this.addSql(
      `create table "owner_notices" ("id" uuid not null, "owner_id" uuid not null, "subject" text not null, "text" text not null, "status" text not null default 'pending', "attempts" int not null default 0, "created_at" timestamptz(3) not null, "next_attempt_at" timestamptz(3) not null, primary key ("id"))`,
    );
    this.addSql(
      `alter table "owner_notices" add constraint "owner_notices_owner_id_foreign" foreign key ("owner_id") references "owners" ("id") on delete cascade`,
    );
    this.addSql(
      `alter table "owner_notices" add constraint "owner_notices_status_check" check ("status" in ('pending', 'sending', 'sent', 'failed'))`,
    );
    this.addSql(
      `create index "owner_notices_due_index" on "owner_notices" ("next_attempt_at") where ("status" = 'pending')`,
    );
  }
}
