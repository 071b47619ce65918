/**
 * Stores the limits of a key, and the key or grant under which keys and webhooks were created, because some of them end
 * with it.
 */
import { Migration } from '@mikro-orm/migrations';

export class LimitsOfKeys extends Migration {
  override up(): void {
    this.addSql(`alter table "api_keys" add column "scopes" text[] null`);
    this.addSql(`alter table "api_keys" add column "created_by_key_id" uuid null`);
    this.addSql(`alter table "api_keys" add column "grant_id" uuid null`);
    this.addSql(
      `create index "api_keys_created_by_key_id_index" on "api_keys" ("created_by_key_id") where ("created_by_key_id" is not null)`,
    );
    this.addSql(`create index "api_keys_grant_id_index" on "api_keys" ("grant_id") where ("grant_id" is not null)`);
    this.addSql(`alter table "webhooks" add column "created_by_key_id" uuid null`);
    this.addSql(`alter table "webhooks" add column "grant_id" uuid null`);
    this.addSql(
      `create index "webhooks_created_by_key_id_index" on "webhooks" ("created_by_key_id") where ("created_by_key_id" is not null)`,
    );
    this.addSql(`create index "webhooks_grant_id_index" on "webhooks" ("grant_id") where ("grant_id" is not null)`);
  }
}
