/** What managing many tenants asks of the database: keys found by profile and by age, and the polish of a connection. */
import { Migration } from '@mikro-orm/migrations';

export class Tenants extends Migration {
  override up(): void {
    this.addSql(`alter table "connections" add "rewrite_mode" text not null default 'inherit'`);
    this.addSql(
      `alter table "connections" add constraint "connections_rewrite_mode_check" check ("rewrite_mode" in ('inherit', 'on', 'off'))`,
    );
    this.addSql(`create index "api_keys_profile_id_id_index" on "api_keys" ("profile_id", "id")`);
    this.addSql(`create index "api_keys_account_id_created_at_index" on "api_keys" ("account_id", "created_at")`);
  }
}
