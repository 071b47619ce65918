/** Posts with threads, first comments, images, tags, drafts and retries; idempotency records that can be finished from the ledger. */
import { Migration } from '@mikro-orm/migrations';

export class WholePosts extends Migration {
  override up(): void {
    this.addSql(
      `create table "post_media" ("id" uuid not null, "post_id" uuid not null, "media_id" uuid not null, "position" int not null, "alt_text" text null, primary key ("id"))`,
    );
    this.addSql(`create index "post_media_media_id_index" on "post_media" ("media_id")`);
    this.addSql(
      `alter table "post_media" add constraint "post_media_post_id_position_unique" unique ("post_id", "position")`,
    );
    this.addSql(
      `alter table "post_media" add constraint "post_media_post_id_foreign" foreign key ("post_id") references "posts" ("id") on delete cascade`,
    );
    this.addSql(
      `alter table "post_media" add constraint "post_media_media_id_foreign" foreign key ("media_id") references "media" ("id")`,
    );

    this.addSql(`alter table "accounts" add "media_bytes" int not null default 0`);
    this.addSql(`alter table "media" add "state" text not null`);
    this.addSql(
      `alter table "media" add constraint "media_state_check" check ("state" in ('storing', 'stored', 'removing', 'removed'))`,
    );
    this.addSql(`create index "media_unsettled_index" on "media" ("id") where ("state" in ('storing', 'removing'))`);

    // What stands on a timeline has no images: the default fills them, and goes again.
    this.addSql(`alter table "sandbox_posts" add "images" jsonb not null default '[]'`);
    this.addSql(`alter table "sandbox_posts" alter column "images" drop default`);

    this.addSql(`alter table "events" drop constraint "events_name_check"`);
    this.addSql(
      `alter table "events" add constraint "events_name_check" check ("name" in ('post.sent', 'post.failed', 'post.deleted', 'post.rescheduled', 'connection.created', 'connection.removed'))`,
    );

    this.addSql(`alter table "idempotency_records" drop column "status_code"`);
    this.addSql(`alter table "idempotency_records" add "completed_at" timestamptz(3) null`);
    this.addSql(`alter table "idempotency_records" alter column "response" set not null`);
    this.addSql(`create index "idempotency_records_expires_at_index" on "idempotency_records" ("expires_at")`);

    // Posts that exist have no replies: the default fills them, and goes again.
    this.addSql(
      `alter table "posts" add "thread" text[] not null default '{}', add "first_comment" text null, add "rewrite" boolean null, add "thread_count" int not null default 0, add "has_first_comment" boolean not null default false, add "generation" int not null default 0, add "idempotency_record_id" uuid null`,
    );
    this.addSql(`alter table "posts" alter column "thread" drop default`);
    this.addSql(`create index "posts_account_id_status_id_index" on "posts" ("account_id", "status", "id")`);
    this.addSql(`create index "posts_tags_index" on "posts" using gin ("tags")`);
    this.addSql(
      `create index "posts_idempotency_index" on "posts" ("idempotency_record_id") where ("idempotency_record_id" is not null)`,
    );

    this.addSql(`alter table "attempts" add "generation" int not null default 0, add "prepared" jsonb null`);
  }
}
