/**
 * Approvals and images of an account in one state, in the order of their lists. On a large install, build the indexes beforehand
 * without locking the tables: docs/scale.md#updates-of-large-installs.
 */
import { StepMigration } from './step-migration.ts';

export class ListsByState extends StepMigration {
  override up(): void {
    for (const table of ['approvals', 'media']) {
      this.addSql(
        `create index if not exists "${table}_account_id_state_id_index" on "${table}" ("account_id", "state", "id")`,
      );
    }
  }
}
