/**
 * A migration whose statements commit one by one, so that it never holds the locks of two tables. Processes of the version
 * before work meanwhile: with two locks they could wait for it, and it for them, until PostgreSQL ends one of the two.
 *
 * A statement that waits for a lock also holds up everyone who comes after it, reads included. So it gives up after
 * `LOCK_TIMEOUT`, and the migration runs again from its start (run-migrations.ts). Every statement can be repeated.
 */
import { Migration } from '@mikro-orm/migrations';

/** Longer than PostgreSQL waits (`deadlock_timeout`, 1 s) before it ends an automatic vacuum that is in the way. */
const LOCK_TIMEOUT = '2s';

/** The name of the index that a statement creates unless it exists. */
const CREATED_INDEX = /^create (?:unique )?index if not exists "(\w+)"/i;

export abstract class StepMigration extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  /** Adds a statement that PostgreSQL allows in a transaction. Before one that creates an index, drops an invalid index of its name. */
  override addSql(sql: string): void {
    const [, index] = CREATED_INDEX.exec(sql) ?? [];
    // `create index concurrently` leaves one when it fails, and `if not exists` would accept it. A statement that commits by
    // itself, because a drop keeps everyone from reading the table until it commits.
    if (index !== undefined) {
      this
        .addStep(`if exists (select from pg_index where indexrelid = to_regclass('"${index}"') and not indisvalid) then
      drop index "${index}";
      end if;`);
    }
    this.addStep(`execute $step$${sql}$step$;`);
  }

  private addStep(step: string): void {
    // One statement with its setting: a pooler may give two statements to two connections.
    super.addSql(`do $migration$ begin
      perform set_config('lock_timeout', '${LOCK_TIMEOUT}', true);
      ${step}
    end $migration$`);
  }
}
