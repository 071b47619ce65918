/**
 * The pending deliveries of a webhook, in the order of their list. On a large install, build the index beforehand without
 * locking the table: docs/scale.md#updates-of-large-installs.
 */
import { StepMigration } from './step-migration.ts';

export class PendingDeliveries extends StepMigration {
  override up(): void {
    this.addSql(
      `create index if not exists "deliveries_pending_index" on "deliveries" ("webhook_id", "id") where ("status" = 'pending')`,
    );
  }
}
