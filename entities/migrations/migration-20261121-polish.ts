/** What AI polish made of a post, and why it failed. */
import { Migration } from '@mikro-orm/migrations';

export class Polish extends Migration {
  override up(): void {
    this.addSql(`alter table "posts" add "ai_rewrite_status" text null, add "rewrite_warning" text null`);
    this.addSql(
      `alter table "posts" add constraint "posts_ai_rewrite_status_check" check ("ai_rewrite_status" in ('pending', 'rewritten', 'failed', 'skipped'))`,
    );
  }
}
