/**
 * Stores the caller of the first request with an Idempotency-Key, so that only callers who reach the response get it
 * again.
 */
import { Migration } from '@mikro-orm/migrations';

export class IdempotencyCallers extends Migration {
  override up(): void {
    this.addSql(`alter table "idempotency_records" add column "mode" text null`);
    this.addSql(`alter table "idempotency_records" add column "profile_id" uuid null`);
    this.addSql(
      `alter table "idempotency_records" add constraint "idempotency_records_mode_check" check ("mode" in ('live', 'test'))`,
    );
  }
}
