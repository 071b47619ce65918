/** How often in a row a platform did not answer when numbers were read: the pause grows with it. */
import { Migration } from '@mikro-orm/migrations';

export class ReadPauseFailures extends Migration {
  override up(): void {
    this.addSql(`alter table "read_pauses" add "failures" int not null default 0`);
  }
}
