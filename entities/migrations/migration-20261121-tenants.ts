/** What managing many tenants asks of the database: keys found by profile and by age. */
import { Migration } from '@mikro-orm/migrations';

export class Tenants extends Migration {
  override up(): void {
    this.addSql(`create index "api_keys_profile_id_id_index" on "api_keys" ("profile_id", "id")`);
    this.addSql(`create index "api_keys_account_id_created_at_index" on "api_keys" ("account_id", "created_at")`);
  }
}
