/** When owners of an account were mailed about posts that wait for approval: the requests are deleted with their posts. */
import { StepMigration } from './step-migration.ts';

export class ApprovalMails extends StepMigration {
  override up(): void {
    this.addSql(`alter table "accounts" add column if not exists "approvals_mailed_at" timestamptz(3) null`);
  }
}
