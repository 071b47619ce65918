/** Connections that share the login of another account, and move with it. */
import { Migration } from '@mikro-orm/migrations';

export class FollowedAccounts extends Migration {
  override up(): void {
    this.addSql(`alter table "connections" add column "follows_account_id" text null`);
  }
}
