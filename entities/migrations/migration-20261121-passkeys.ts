/** Passkeys of owners, and the challenges that were answered with one. */
import { Migration } from '@mikro-orm/migrations';

export class Passkeys extends Migration {
  override up(): void {
    this.addSql(
      `create table "passkeys" ("id" uuid not null, "owner_id" uuid not null, "credential_id" text not null, "public_key" text not null, "counter" double precision not null, "created_at" timestamptz(3) not null, "last_used_at" timestamptz(3) null, primary key ("id"))`,
    );
    this.addSql(`alter table "passkeys" add constraint "passkeys_credential_id_unique" unique ("credential_id")`);
    this.addSql(`create index "passkeys_owner_id_id_index" on "passkeys" ("owner_id", "id")`);
    this.addSql(
      `alter table "passkeys" add constraint "passkeys_owner_id_foreign" foreign key ("owner_id") references "owners" ("id")`,
    );
    this.addSql(
      `create table "used_challenges" ("hash" varchar(64) not null, "expires_at" timestamptz(3) not null, primary key ("hash"))`,
    );
  }
}
