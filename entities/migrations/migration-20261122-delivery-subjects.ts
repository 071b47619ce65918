/** Gives deliveries the post or connection that their event is about: deliveries about the same one stay in order. */
import { Migration } from '@mikro-orm/migrations';

export class DeliverySubjects extends Migration {
  override up(): void {
    this.addSql(`alter table "deliveries" add column if not exists "subject_id" uuid null`);
  }
}
