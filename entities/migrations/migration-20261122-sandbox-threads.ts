/** Replies on the sandbox's timelines. */
import { Migration } from '@mikro-orm/migrations';

export class SandboxThreads extends Migration {
  override up(): void {
    this.addSql(`alter table "sandbox_posts" add "root_id" uuid null`);
    this.addSql(
      `create index "sandbox_posts_root_id_index" on "sandbox_posts" ("root_id", "id") where ("root_id" is not null)`,
    );
  }
}
