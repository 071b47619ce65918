/** Writes new rows of the ledger to new pages, not into small gaps of old ones (docs/decisions/0136-write-the-ledger-to-new-pages.md). */
import { StepMigration } from './step-migration.ts';

export class LedgerPages extends StepMigration {
  override up(): void {
    this.addSql(`alter table "attempts" set (fillfactor = 90)`);
  }
}
