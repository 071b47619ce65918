/** The transaction that each event was written in: the order in which GET /events tells them. */
import { Migration } from '@mikro-orm/migrations';

export class EventOrder extends Migration {
  override up(): void {
    // What happened before has no order but that of its id, and is told before everything else.
    this.addSql(`alter table "events" add "written_in" xid8 not null default '0'`);
    this.addSql(`alter table "events" alter column "written_in" set default pg_current_xact_id()`);
    this.addSql(`create index "events_account_id_written_in_id_index" on "events" ("account_id", "written_in", "id")`);
  }
}
