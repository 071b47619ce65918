/**
 * Says of a webhook that its deliveries are still to be paused, resumed or failed, and with which reason
 * (docs/decisions/0148-adjust-deliveries-in-steps.md).
 */
import { StepMigration } from './step-migration.ts';

const STATEMENTS = [
  `alter table "webhooks" add column if not exists "ended_because" text null`,
  `alter table "webhooks" add column if not exists "adjusting_at" timestamptz(3) null`,
  `create index if not exists "webhooks_adjusting_index" on "webhooks" ("adjusting_at") where ("adjusting_at" is not null)`,
];

export class AdjustedDeliveries extends StepMigration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}
