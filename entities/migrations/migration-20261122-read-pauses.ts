/** Counts how often in a row a platform did not answer a read of metrics; the pause grows with it. */
import { Migration } from '@mikro-orm/migrations';

export class ReadPauseFailures extends Migration {
  override up(): void {
    this.addSql(`alter table "read_pauses" add "failures" int not null default 0`);
  }
}
