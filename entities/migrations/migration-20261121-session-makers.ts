/** Connect sessions that no key has made: an owner does, in the console. */
import { Migration } from '@mikro-orm/migrations';

export class SessionMakers extends Migration {
  override up(): void {
    this.addSql(`alter table "connect_sessions" drop constraint if exists "connect_sessions_key_id_foreign"`);
  }
}
