/** Names columns after what they hold: the lease of a webhook, and the batch of metrics reads that is paused. */
import { Migration } from '@mikro-orm/migrations';

export class LeaseNames extends Migration {
  override up(): void {
    this.addSql(`alter table "webhooks" rename column "lane" to "lease"`);
    this.addSql(`alter table "webhooks" rename column "lane_until" to "lease_until"`);
    this.addSql(`alter index "webhooks_lane_index" rename to "webhooks_lease_index"`);
    this.addSql(`alter table "read_pauses" rename column "lane" to "batch"`);
  }
}
