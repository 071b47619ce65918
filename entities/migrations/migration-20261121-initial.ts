/** The first schema: accounts, keys, connections, posts with their send ledger, and what the workers keep. */
import { Migration } from '@mikro-orm/migrations';

export class Initial extends Migration {
  override up(): void {
    this.addSql(
      `create table "accounts" ("id" uuid not null, "created_at" timestamptz(3) not null, primary key ("id"))`,
    );
    this.addSql(
      `create table "events" ("id" uuid not null, "account_id" uuid not null, "profile_id" uuid null, "name" text not null, "mode" text not null, "subject_id" uuid not null, "payload" jsonb not null, "created_at" timestamptz(3) not null, primary key ("id"))`,
    );
    this.addSql(`create index "events_account_id_id_index" on "events" ("account_id", "id")`);
    this.addSql(`create index "events_subject_id_index" on "events" ("subject_id")`);
    this.addSql(
      `alter table "events" add constraint "events_name_check" check ("name" in ('post.sent', 'post.failed', 'post.deleted', 'connection.created', 'connection.removed'))`,
    );
    this.addSql(`alter table "events" add constraint "events_mode_check" check ("mode" in ('live', 'test'))`);
    this.addSql(
      `create table "idempotency_records" ("id" uuid not null, "account_id" uuid not null, "key" varchar(255) not null, "operation" varchar(255) not null, "body_hash" varchar(64) not null, "status_code" int null, "response" jsonb null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, primary key ("id"))`,
    );
    this.addSql(
      `alter table "idempotency_records" add constraint "idempotency_records_account_id_key_unique" unique ("account_id", "key")`,
    );
    this.addSql(
      `create table "media" ("id" uuid not null, "account_id" uuid not null, "profile_id" uuid null, "content_type" varchar(255) not null, "size_bytes" int not null, "width" int not null, "height" int not null, "alt_text" text null, "created_at" timestamptz(3) not null, primary key ("id"))`,
    );
    this.addSql(`create index "media_account_id_id_index" on "media" ("account_id", "id")`);
    this.addSql(
      `create table "owners" ("id" uuid not null, "account_id" uuid not null, "email" varchar(255) not null, "password_hash" text null, "created_at" timestamptz(3) not null, primary key ("id"))`,
    );
    this.addSql(`alter table "owners" add constraint "owners_email_unique" unique ("email")`);
    this.addSql(
      `create table "profiles" ("id" uuid not null, "account_id" uuid not null, "name" varchar(100) not null, "external_id" varchar(200) null, "created_at" timestamptz(3) not null, "deleted_at" timestamptz(3) null, primary key ("id"))`,
    );
    this.addSql(`create index "profiles_account_id_id_index" on "profiles" ("account_id", "id")`);
    this.addSql(
      `create unique index "profiles_external_id_unique" on "profiles" ("account_id", "external_id") where ("deleted_at" is null)`,
    );
    this.addSql(
      `create table "connections" ("id" uuid not null, "account_id" uuid not null, "profile_id" uuid null, "platform_id" varchar(255) not null, "slug" varchar(255) not null, "description" varchar(255) not null, "timezone" varchar(255) not null default 'UTC', "queue_slots" jsonb not null, "platform_account_id" varchar(255) not null, "handle" varchar(255) not null, "limits" jsonb null, "credentials" text null, "renewal_lease_until" timestamptz(3) null, "created_at" timestamptz(3) not null, "deleted_at" timestamptz(3) null, primary key ("id"))`,
    );
    this.addSql(`create index "connections_account_id_id_index" on "connections" ("account_id", "id")`);
    this.addSql(
      `create unique index "connections_slug_unique" on "connections" ("account_id", coalesce("profile_id", '00000000-0000-0000-0000-000000000000'::uuid), "slug") where ("deleted_at" is null)`,
    );
    this.addSql(
      `create unique index "connections_platform_account_unique" on "connections" ("account_id", coalesce("profile_id", '00000000-0000-0000-0000-000000000000'::uuid), "platform_id", "platform_account_id") where ("deleted_at" is null)`,
    );
    this.addSql(
      `create table "posts" ("id" uuid not null, "account_id" uuid not null, "connection_id" uuid not null, "profile_id" uuid null, "connection_slug" varchar(255) not null, "platform_id" varchar(255) not null, "mode" text not null, "status" text not null, "text" text not null, "original_text" text not null, "tags" text[] not null, "url" text null, "platform_post_id" text null, "error_code" varchar(255) null, "error_message" text null, "scheduled_for" timestamptz(3) null, "created_at" timestamptz(3) not null, "sent_at" timestamptz(3) null, "deleted_at" timestamptz(3) null, "claim" uuid null, "claimed_until" timestamptz(3) null, primary key ("id"))`,
    );
    this.addSql(`create index "posts_account_id_id_index" on "posts" ("account_id", "id")`);
    this.addSql(`create index "posts_connection_id_id_index" on "posts" ("connection_id", "id")`);
    this.addSql(`create index "posts_due_index" on "posts" ("scheduled_for", "id") where ("status" = 'scheduled')`);
    this.addSql(`create index "posts_lease_index" on "posts" ("claimed_until") where ("status" = 'processing')`);
    this.addSql(`alter table "posts" add constraint "posts_mode_check" check ("mode" in ('live', 'test'))`);
    this.addSql(
      `alter table "posts" add constraint "posts_status_check" check ("status" in ('sent', 'scheduled', 'processing', 'draft', 'failed', 'cancelled', 'deleted'))`,
    );
    this.addSql(
      `create table "attempts" ("id" uuid not null, "post_id" uuid not null, "step" text not null, "index" int not null, "state" text not null, "token" varchar(255) not null, "started_at" timestamptz(3) not null, "settled_at" timestamptz(3) null, "platform_post_id" text null, "url" text null, "ref" jsonb null, "error_code" varchar(255) null, "error_message" text null, primary key ("id"))`,
    );
    this.addSql(`create index "attempts_post_id_id_index" on "attempts" ("post_id", "id")`);
    this.addSql(`create index "attempts_open_index" on "attempts" ("post_id") where ("state" = 'sending')`);
    this.addSql(
      `alter table "attempts" add constraint "attempts_step_check" check ("step" in ('head', 'reply', 'first_comment', 'delete'))`,
    );
    this.addSql(
      `alter table "attempts" add constraint "attempts_state_check" check ("state" in ('sending', 'accepted', 'rejected', 'unavailable', 'unknown'))`,
    );
    this.addSql(
      `create table "api_keys" ("id" uuid not null, "account_id" uuid not null, "profile_id" uuid null, "name" varchar(80) not null, "type" text not null, "prefix" varchar(255) not null, "secret_hash" varchar(64) not null, "redirect_allowlist" text[] null, "created_at" timestamptz(3) not null, "last_used_at" timestamptz(3) null, "revoked_at" timestamptz(3) null, primary key ("id"))`,
    );
    this.addSql(`alter table "api_keys" add constraint "api_keys_secret_hash_unique" unique ("secret_hash")`);
    this.addSql(`create index "api_keys_account_id_id_index" on "api_keys" ("account_id", "id")`);
    this.addSql(`alter table "api_keys" add constraint "api_keys_type_check" check ("type" in ('live', 'test'))`);
    this.addSql(
      `create table "sandbox_posts" ("id" uuid not null, "account_id" uuid not null, "handle" varchar(255) not null, "text" text not null, "token" varchar(255) not null, "calls" int not null, "created_at" timestamptz(3) not null, "deleted_at" timestamptz(3) null, primary key ("id"))`,
    );
    this.addSql(`create index "sandbox_posts_account_id_id_index" on "sandbox_posts" ("account_id", "id")`);
    this.addSql(
      `alter table "sandbox_posts" add constraint "sandbox_posts_account_id_token_unique" unique ("account_id", "token")`,
    );
    this.addSql(
      `create table "worker_states" ("name" varchar(255) not null, "last_run_at" timestamptz(3) not null, "last_ok_at" timestamptz(3) null, "last_error" text null, primary key ("name"))`,
    );
    this.addSql(
      `alter table "events" add constraint "events_account_id_foreign" foreign key ("account_id") references "accounts" ("id")`,
    );
    this.addSql(
      `alter table "idempotency_records" add constraint "idempotency_records_account_id_foreign" foreign key ("account_id") references "accounts" ("id")`,
    );
    this.addSql(
      `alter table "media" add constraint "media_account_id_foreign" foreign key ("account_id") references "accounts" ("id")`,
    );
    this.addSql(
      `alter table "owners" add constraint "owners_account_id_foreign" foreign key ("account_id") references "accounts" ("id")`,
    );
    this.addSql(
      `alter table "profiles" add constraint "profiles_account_id_foreign" foreign key ("account_id") references "accounts" ("id")`,
    );
    this.addSql(
      `alter table "connections" add constraint "connections_account_id_foreign" foreign key ("account_id") references "accounts" ("id")`,
    );
    this.addSql(
      `alter table "connections" add constraint "connections_profile_id_foreign" foreign key ("profile_id") references "profiles" ("id") on delete no action`,
    );
    this.addSql(
      `alter table "posts" add constraint "posts_account_id_foreign" foreign key ("account_id") references "accounts" ("id")`,
    );
    this.addSql(
      `alter table "posts" add constraint "posts_connection_id_foreign" foreign key ("connection_id") references "connections" ("id")`,
    );
    this.addSql(
      `alter table "attempts" add constraint "attempts_post_id_foreign" foreign key ("post_id") references "posts" ("id")`,
    );
    this.addSql(
      `alter table "api_keys" add constraint "api_keys_account_id_foreign" foreign key ("account_id") references "accounts" ("id")`,
    );
    this.addSql(
      `alter table "api_keys" add constraint "api_keys_profile_id_foreign" foreign key ("profile_id") references "profiles" ("id") on delete no action`,
    );

    // The rate limit's sliding window on PostgreSQL. Unlogged: losing it in a crash costs nothing, and
    // a request must not wait for the disk. Requests accepted together are a row; `number` says how many went
    // before. The
    // key leads with the instant, so that the oldest row still in the window is one step of its index,
    // however many there are; what has left the window is swept away by the housekeeping.
    this.addSql(
      `create unlogged table "rate_limit_buckets" ("bucket" text not null primary key, "accepted" bigint not null, "last_at" timestamptz(3) not null) with (fillfactor = 50)`,
    );
    this.addSql(
      `create unlogged table "rate_limit_hits" ("bucket" text not null, "at" timestamptz(3) not null, "number" bigint not null, primary key ("bucket", "at", "number"))`,
    );
    // A function, because each of its statements sees what the one before it waited for: the row lock
    // on the bucket makes the count exact over all processes, in one round trip.
    this
      .addSql(`create function take_rate_limit(wanted text, present timestamptz, requests int, allowed int, window_seconds int)
      returns table (accepted int, used int, oldest timestamptz)
      language plpgsql as $$
      declare
        total bigint;
        present_here timestamptz;
        first_number bigint;
        first_at timestamptz;
        used_before int;
        taken int;
      begin
        insert into rate_limit_buckets as b (bucket, accepted, last_at) values (wanted, requests, present)
          on conflict (bucket) do update set accepted = b.accepted + requests, last_at = greatest(b.last_at, excluded.last_at)
          returning b.accepted - requests, b.last_at into total, present_here;
        select h.number, h.at into first_number, first_at from rate_limit_hits h
          where h.bucket = wanted and h.at > present_here - make_interval(secs => window_seconds)
          order by h.at, h.number limit 1;
        used_before := case when first_number is null then 0 else total - first_number end;
        taken := greatest(least(requests, allowed - used_before), 0);
        if taken < requests then
          update rate_limit_buckets b set accepted = total + taken where b.bucket = wanted;
        end if;
        if taken > 0 then
          insert into rate_limit_hits (bucket, at, number) values (wanted, present_here, total);
        end if;
        return query select taken, used_before, coalesce(first_at, present_here);
      end $$`);
  }
}
