/** Since when a feed has its address. */
import { StepMigration } from './step-migration.ts';

export class FeedAddresses extends StepMigration {
  override up(): void {
    this.addSql(`alter table "feeds" add column if not exists "items_since" timestamptz(3) null`);
  }
}
