/** A sample of the health each minute, and the posts that public statistics count. */
import { Migration } from '@mikro-orm/migrations';

export class HealthHistory extends Migration {
  override up(): void {
    this.addSql(
      `create table "health_samples" ("minute" timestamptz(3) not null, "degraded" boolean not null, primary key ("minute"))`,
    );
    this.addSql(
      `create index "posts_reached_index" on "posts" ("sent_at") where ("status" = 'sent' and "mode" = 'live' and "platform_id" <> 'sandbox')`,
    );
  }
}
