/** Whether, when and in which time zone an owner gets the weekly digest. */
import { StepMigration } from './step-migration.ts';

export class Digests extends StepMigration {
  override up(): void {
    this.addSql(`alter table "owners" add column if not exists "digest" boolean not null default true`);
    this.addSql(`alter table "owners" add column if not exists "digest_zone" text null`);
    this.addSql(`alter table "owners" add column if not exists "digest_at" timestamptz(3) null`);
    this.addSql(
      `create index if not exists "owners_digest_index" on "owners" (coalesce("digest_at", "created_at")) where ("digest" and "role" = 'owner')`,
    );
  }
}
