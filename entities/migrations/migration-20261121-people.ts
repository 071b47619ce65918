/** How the owners of accounts sign in: the links that set them up, the browsers they are signed in with, and who has to wait. */
import { Migration } from '@mikro-orm/migrations';

export class People extends Migration {
  override up(): void {
    this.addSql(
      `create table "owner_links" ("id" uuid not null, "account_id" uuid not null, "secret_hash" varchar(64) not null, "expires_at" timestamptz(3) not null, "created_at" timestamptz(3) not null, primary key ("id"))`,
    );
    this.addSql(`alter table "owner_links" add constraint "owner_links_secret_hash_unique" unique ("secret_hash")`);
    this.addSql(
      `alter table "owner_links" add constraint "owner_links_account_id_foreign" foreign key ("account_id") references "accounts" ("id")`,
    );
    this.addSql(
      `create table "sign_ins" ("id" uuid not null, "owner_id" uuid not null, "secret_hash" varchar(64) not null, "user_agent" varchar(200) not null, "created_at" timestamptz(3) not null, "last_seen_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, primary key ("id"))`,
    );
    this.addSql(`alter table "sign_ins" add constraint "sign_ins_secret_hash_unique" unique ("secret_hash")`);
    this.addSql(`create index "sign_ins_owner_id_id_index" on "sign_ins" ("owner_id", "id")`);
    this.addSql(
      `alter table "sign_ins" add constraint "sign_ins_owner_id_foreign" foreign key ("owner_id") references "owners" ("id")`,
    );
    this.addSql(
      `create table "sign_in_waits" ("bucket" varchar(43) not null, "failures" int not null, "wait_until" timestamptz(3) null, "last_tried_at" timestamptz(3) not null, primary key ("bucket"))`,
    );
  }
}
