/**
 * Says of the stop of an agent which client it is, because a stop outlives the access of the agent: that of a person who leaves is deleted
 * (docs/contract/stops.md#what-it-does).
 */
import { StepMigration } from './step-migration.ts';

export class ClientsOfStops extends StepMigration {
  override up(): void {
    this.addSql(`alter table "stops" add column if not exists "client_id" text null`);
    // The version before stores stops without it meanwhile, so the grant is looked at too where it is missing.
    this.addSql(`update "stops" s set "client_id" = g."client_id" from "oauth_grants" g
      where g."id" = s."target_id" and s."kind" = 'grant' and s."client_id" is null`);
  }
}
