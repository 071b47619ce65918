/**
 * A migration whose statements commit one by one, so that it never holds the locks of two tables. Processes of the version
 * before work meanwhile: with two locks they could wait for it, and it for them, until PostgreSQL ends one of the two.
 * Every statement can be repeated, because a migration that was cut off runs again from its start.
 */
import { Migration } from '@mikro-orm/migrations';

export abstract class StepMigration extends Migration {
  override isTransactional(): boolean {
    return false;
  }
}
