/** Gives deliveries a log of their attempts. Attempts before this migration are not in it. */
import { Migration } from '@mikro-orm/migrations';

export class DeliveryAttempts extends Migration {
  override up(): void {
    this.addSql(`alter table "deliveries" add column if not exists "attempt_log" jsonb null`);
  }
}
