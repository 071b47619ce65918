/** Adds a daily message cap per account. */
import { Migration } from '@mikro-orm/migrations';

export class MessageCap extends Migration {
  override up(): void {
    this.addSql(
      `alter table "accounts" add "has_own_message_cap" boolean not null default false, add "messages_per_day" int null`,
    );
  }
}
