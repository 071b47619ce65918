/** Lists of posts by platform and by words, at a cost that does not grow with the posts of an account. */
import { Migration } from '@mikro-orm/migrations';

export class PostFilters extends Migration {
  override up(): void {
    this.addSql(`create index "posts_account_id_platform_id_id_index" on "posts" ("account_id", "platform_id", "id")`);
    this.addSql(
      `create table "post_words" ("post_id" uuid not null, "words" tsvector not null, primary key ("post_id"))`,
    );
    this.addSql(
      `insert into "post_words" ("post_id", "words") select "id", array_to_tsvector(array['account ' || "account_id"::text]) || to_tsvector('simple', "text") from "posts"`,
    );
    this.addSql(`create index "post_words_index" on "post_words" using gin ("words")`);
    this.addSql(
      `alter table "post_words" add constraint "post_words_post_id_foreign" foreign key ("post_id") references "posts" ("id") on update cascade on delete cascade`,
    );
  }
}
