/** The numbers of posts: their reads, what the reads of a day come to, and when the next one is due. */
import { Migration } from '@mikro-orm/migrations';

export class Metrics extends Migration {
  override up(): void {
    this.addSql(
      `alter table "posts" add "next_read_at" timestamptz(3) null, add "counted" boolean not null default false`,
    );
    this.addSql(
      `create index "posts_reads_index" on "posts" ("next_read_at", "id") where ("next_read_at" is not null)`,
    );
    this.addSql(
      `create index "posts_uncounted_index" on "posts" ("account_id", "sent_at") where ("sent_at" is not null and not "counted")`,
    );

    // Posts that are up already are read from now on, too.
    this.addSql(
      `update "posts" set "next_read_at" = "sent_at" + interval '1 hour' where "status" = 'sent' and "platform_post_id" is not null and "platform_id" in ('bluesky', 'mastodon', 'linkedin', 'x', 'sandbox')`,
    );

    this.addSql(
      `create table "metrics_reads" ("post_id" uuid not null, "number" int not null, "fetched_at" timestamptz(3) not null, "impressions" bigint null, "likes" bigint null, "reposts" bigint null, "replies" bigint null, "clicks" bigint null, primary key ("post_id", "number"))`,
    );
    this.addSql(
      `alter table "metrics_reads" add constraint "metrics_reads_post_id_foreign" foreign key ("post_id") references "posts" ("id") on delete cascade`,
    );
    this.addSql(
      `create table "daily_numbers" ("account_id" uuid not null, "scope" text not null, "profile_id" uuid not null, "day" date not null, "platform_id" varchar(255) not null, "connection_slug" varchar(255) not null, "mode" text not null, "posts" int not null, "read_posts" int not null, "impression_posts" int not null, "impressions" bigint not null, "likes" bigint not null, "reposts" bigint not null, "replies" bigint not null, "clicks" bigint not null, primary key ("account_id", "scope", "profile_id", "day", "platform_id", "connection_slug", "mode"))`,
    );
    this.addSql(
      `create index "daily_numbers_account_id_connection_slug_day_index" on "daily_numbers" ("account_id", "connection_slug", "day")`,
    );
    this.addSql(
      `alter table "daily_numbers" add constraint "daily_numbers_scope_check" check ("scope" in ('account', 'connection'))`,
    );
    this.addSql(
      `alter table "daily_numbers" add constraint "daily_numbers_mode_check" check ("mode" in ('live', 'test'))`,
    );
    this.addSql(
      `create table "read_pauses" ("lane" varchar(255) not null, "until" timestamptz(3) not null, primary key ("lane"))`,
    );

    this.addSql(`alter table "charges" add "number" int not null default 0`);
    this.addSql(`alter table "charges" drop constraint "charges_kind_check"`);
    this.addSql(`alter table "charges" add constraint "charges_kind_check" check ("kind" in ('post', 'read'))`);
    this.addSql(`alter table "charges" drop constraint "charges_subject_id_kind_unique"`);
    this.addSql(
      `alter table "charges" add constraint "charges_subject_id_kind_number_unique" unique ("subject_id", "kind", "number")`,
    );
  }
}
