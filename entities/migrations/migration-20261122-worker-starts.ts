/**
 * Stores when a worker last started, so that its loops are not late before they had time for a round
 * (docs/contract/running.md#health).
 */
import { Migration } from '@mikro-orm/migrations';

export class WorkerStarts extends Migration {
  override up(): void {
    this.addSql(`alter table "worker_states" add "started_at" timestamptz(3) null`);
    this.addSql(`alter table "worker_states" alter column "last_run_at" drop not null`);
  }
}
