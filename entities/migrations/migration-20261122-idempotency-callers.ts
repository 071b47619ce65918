/** Who made the first request under an Idempotency-Key, so that its answer is given only to callers that reach it. */
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
