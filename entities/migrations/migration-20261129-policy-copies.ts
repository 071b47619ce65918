/** Says of a policy with whose posts its own count (docs/decisions/0142-keep-the-policy-of-an-agent-that-is-allowed-again.md). */
import { StepMigration } from './step-migration.ts';

export class PolicyCopies extends StepMigration {
  override up(): void {
    this.addSql(`alter table "policies" add column if not exists "counts_with" uuid null`);
    this.addSql(
      `create index if not exists "policies_counts_with_index" on "policies" ("counts_with") where ("counts_with" is not null)`,
    );
  }
}
