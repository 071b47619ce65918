/** Connect sessions that no key made: an OAuth client or a person did. */
import { Migration } from '@mikro-orm/migrations';

export class ConnectSessionCallers extends Migration {
  override up(): void {
    this.addSql(`alter table "connect_sessions" alter column "key_id" drop not null`);
  }
}
