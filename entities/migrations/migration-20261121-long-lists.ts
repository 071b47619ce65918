/** Lists by profile and by tag that cost the same however many posts an account has. */
import { Migration } from '@mikro-orm/migrations';

export class LongLists extends Migration {
  override up(): void {
    this.addSql(`create index "posts_account_id_profile_id_id_index" on "posts" ("account_id", "profile_id", "id")`);

    this.addSql(
      `create table "post_tags" ("post_id" uuid not null, "tag" text not null, "account_id" uuid not null, primary key ("post_id", "tag"))`,
    );
    this.addSql(
      `insert into "post_tags" ("post_id", "tag", "account_id") select distinct p."id", t."tag", p."account_id" from "posts" p cross join lateral unnest(p."tags") as t("tag")`,
    );
    this.addSql(
      `create index "post_tags_account_id_tag_post_id_index" on "post_tags" ("account_id", "tag", "post_id")`,
    );
    this.addSql(
      `alter table "post_tags" add constraint "post_tags_post_id_foreign" foreign key ("post_id") references "posts" ("id") on delete cascade`,
    );
    this.addSql(`drop index "posts_tags_index"`);
  }
}
