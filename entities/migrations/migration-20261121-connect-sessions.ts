/** Connect sessions, and the apps that this install registers by itself. */
import { Migration } from '@mikro-orm/migrations';

export class ConnectSessions extends Migration {
  override up(): void {
    this.addSql(
      `create table "platform_apps" ("id" uuid not null, "platform_id" varchar(255) not null, "origin" text not null, "redirect_uri" text not null, "app" text not null, "created_at" timestamptz(3) not null, primary key ("id"))`,
    );
    this.addSql(
      `alter table "platform_apps" add constraint "platform_apps_platform_id_origin_redirect_uri_unique" unique ("platform_id", "origin", "redirect_uri")`,
    );
    this.addSql(
      `create table "connect_sessions" ("id" uuid not null, "account_id" uuid not null, "profile_id" uuid not null, "key_id" uuid not null, "mode" text not null, "platform" varchar(255) null, "redirect_url" text not null, "headless" boolean not null, "status" text not null default 'pending', "error" text null, "connection_id" uuid null, "token_hash" varchar(64) not null, "used_at" timestamptz(3) null, "browser_hash" varchar(64) null, "flow" text null, "tries" int not null default 0, "refused" boolean not null default false, "expires_at" timestamptz(3) not null, "created_at" timestamptz(3) not null, primary key ("id"))`,
    );
    this.addSql(
      `alter table "connect_sessions" add constraint "connect_sessions_token_hash_unique" unique ("token_hash")`,
    );
    this.addSql(
      `create index "connect_sessions_open_index" on "connect_sessions" ("expires_at") where ("status" = 'pending')`,
    );
    this.addSql(
      `alter table "connect_sessions" add constraint "connect_sessions_account_id_foreign" foreign key ("account_id") references "accounts" ("id")`,
    );
    this.addSql(
      `alter table "connect_sessions" add constraint "connect_sessions_profile_id_foreign" foreign key ("profile_id") references "profiles" ("id")`,
    );
    this.addSql(
      `alter table "connect_sessions" add constraint "connect_sessions_key_id_foreign" foreign key ("key_id") references "api_keys" ("id")`,
    );
    this.addSql(
      `alter table "connect_sessions" add constraint "connect_sessions_connection_id_foreign" foreign key ("connection_id") references "connections" ("id") on delete no action`,
    );
    this.addSql(
      `alter table "connect_sessions" add constraint "connect_sessions_mode_check" check ("mode" in ('live', 'test'))`,
    );
    this.addSql(
      `alter table "connect_sessions" add constraint "connect_sessions_status_check" check ("status" in ('pending', 'connected', 'failed', 'expired'))`,
    );
    this.addSql(
      `alter table "connect_sessions" add constraint "connect_sessions_error_check" check ("error" in ('cancelled', 'connect_failed'))`,
    );
  }
}
