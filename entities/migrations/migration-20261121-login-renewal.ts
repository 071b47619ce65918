/** When a login is renewed next, and whether it is over. */
import { Migration } from '@mikro-orm/migrations';

export class LoginRenewal extends Migration {
  override up(): void {
    this.addSql(
      `alter table "connections" add column "renew_at" timestamptz(3) null, add column "reconnect_since" timestamptz(3) null, add column "reconnect_reason" text null, add column "reconnect_told_by" text null`,
    );
    this.addSql(
      `alter table "connections" add constraint "connections_reconnect_told_by_check" check ("reconnect_told_by" in ('send', 'renewal'))`,
    );
    this.addSql(
      `create index "connections_renewal_index" on "connections" ("renew_at") where ("renew_at" is not null and "deleted_at" is null)`,
    );
  }
}
