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

export abstract class StepMigration extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  /** Adds a statement that PostgreSQL allows in a transaction. */
  override addSql(sql: string): void {
    // One statement with its setting: a pooler may give two statements to two connections.
    super.addSql(`do $migration$ begin
      perform set_config('lock_timeout', '${LOCK_TIMEOUT}', true);
      execute $step$${sql}$step$;
    end $migration$`);
  }
}
