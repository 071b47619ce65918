/** Plans with their fees and the usage ledger; queues, pauses and pauses that platforms ask for. */
import { Migration } from '@mikro-orm/migrations';

export class PlansAndQueues extends Migration {
  override up(): void {
    this.addSql(
      `alter table "accounts" add "plan" text not null default 'unlimited', add "has_payment_method" boolean not null default false, add "x_spend_cap_cents" int null, add "x_analytics" boolean not null default false, add "rewrite_default" boolean not null default false`,
    );
    this.addSql(
      `alter table "accounts" add constraint "accounts_plan_check" check ("plan" in ('free', 'pro', 'unlimited'))`,
    );
    this.addSql(
      `create table "charges" ("id" uuid not null, "account_id" uuid not null, "kind" text not null, "subject_id" uuid not null, "platform_id" varchar(255) not null, "cents" int not null, "at" timestamptz(3) not null, primary key ("id"))`,
    );
    this.addSql(`alter table "charges" add constraint "charges_kind_check" check ("kind" in ('post'))`);
    this.addSql(`create index "charges_account_id_at_index" on "charges" ("account_id", "at")`);
    this.addSql(`alter table "charges" add constraint "charges_subject_id_kind_unique" unique ("subject_id", "kind")`);
    this.addSql(
      `alter table "charges" add constraint "charges_account_id_foreign" foreign key ("account_id") references "accounts" ("id")`,
    );

    this.addSql(
      `alter table "connections" add "queue_paused" boolean not null default false, add "backoff_until" timestamptz(3) null`,
    );
    this.addSql(
      `create index "connections_backoff_index" on "connections" ("backoff_until") where ("backoff_until" is not null)`,
    );

    this.addSql(
      `alter table "posts" add "queued" boolean not null default false, add "slot_at" timestamptz(3) null, add "held" boolean not null default false, add "fee_cents" int not null default 0`,
    );
    this.addSql(`drop index "posts_due_index"`);
    this.addSql(
      `create index "posts_due_index" on "posts" ("scheduled_for", "id") where ("status" = 'scheduled' and not "held")`,
    );
    this.addSql(
      `create index "posts_queue_index" on "posts" ("connection_id", "scheduled_for") where ("status" = 'scheduled' and "queued")`,
    );
    this.addSql(
      `create index "posts_live_sent_index" on "posts" ("connection_id", "sent_at") where ("mode" = 'live' and "sent_at" is not null)`,
    );
    this.addSql(`create index "posts_fee_index" on "posts" ("sent_at") where ("fee_cents" > 0)`);
    this.addSql(
      `create unique index "posts_slot_unique" on "posts" ("connection_id", "slot_at") where ("status" = 'scheduled' and "slot_at" is not null)`,
    );
  }
}
