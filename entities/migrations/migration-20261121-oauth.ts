/** What the authorization server keeps, what people agreed to, and the keys that sign. */
import { Migration } from '@mikro-orm/migrations';

export class Oauth extends Migration {
  override up(): void {
    this.addSql(
      `create table "oauth_artifacts" ("id_hash" varchar(64) not null, "kind" varchar(255) not null, "payload" jsonb not null, "grant_id" uuid null, "consumed_at" timestamptz(3) null, "expires_at" timestamptz(3) null, primary key ("id_hash"))`,
    );
    this.addSql(`create index "oauth_artifacts_grant_id_index" on "oauth_artifacts" ("grant_id")`);
    this.addSql(`create index "oauth_artifacts_expires_at_index" on "oauth_artifacts" ("expires_at")`);
    this.addSql(
      `create table "oauth_keys" ("id" uuid not null, "jwk" text not null, "created_at" timestamptz(3) not null, primary key ("id"))`,
    );
    this.addSql(
      `create table "oauth_grants" ("id" uuid not null, "account_id" uuid not null, "owner_id" uuid not null, "client_id" text not null, "client_name" text not null, "redirect_host" text not null, "scopes" text[] not null, "profile_id" uuid null, "mode" text not null, "created_at" timestamptz(3) not null, "last_used_at" timestamptz(3) null, "revoked_at" timestamptz(3) null, primary key ("id"))`,
    );
    this.addSql(`create index "oauth_grants_owner_id_id_index" on "oauth_grants" ("owner_id", "id")`);
    this.addSql(`create index "oauth_grants_client_id_index" on "oauth_grants" ("client_id")`);
    this.addSql(
      `alter table "oauth_grants" add constraint "oauth_grants_account_id_foreign" foreign key ("account_id") references "accounts" ("id")`,
    );
    this.addSql(
      `alter table "oauth_grants" add constraint "oauth_grants_owner_id_foreign" foreign key ("owner_id") references "owners" ("id")`,
    );
    this.addSql(
      `alter table "oauth_grants" add constraint "oauth_grants_profile_id_foreign" foreign key ("profile_id") references "profiles" ("id") on delete no action`,
    );
    this.addSql(
      `alter table "oauth_grants" add constraint "oauth_grants_mode_check" check ("mode" in ('live', 'test'))`,
    );
  }
}
