/** Keys that end at an instant. */
import { Migration } from '@mikro-orm/migrations';

export class KeyExpiry extends Migration {
  override up(): void {
    this.addSql(`alter table "api_keys" add column if not exists "expires_at" timestamptz(3) null`);
  }
}
