/**
 * Stores how often a post was tried and when a send is repeated automatically, and supports the recovery of interrupted
 * deletions.
 */
import { Migration } from '@mikro-orm/migrations';

export class Sends extends Migration {
  override up(): void {
    this.addSql(
      `alter table "posts" add "tries" int not null default 0, add "repeats" int not null default 0, add "first_due_at" timestamptz(3) null`,
    );
    this.addSql(
      `update "posts" p set "tries" = a."tries" from (select "post_id", count(*)::int as "tries" from "attempts" where "step" = 'head' group by "post_id") a where a."post_id" = p."id"`,
    );
    this.addSql(
      `create index "posts_removal_index" on "posts" ("claimed_until") where ("status" = 'sent' and "claim" is not null)`,
    );
  }
}
