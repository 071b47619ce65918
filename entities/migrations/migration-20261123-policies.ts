/** Policies of keys and agents. */
import { StepMigration } from './step-migration.ts';

export class Policies extends StepMigration {
  override up(): void {
    for (const table of ['api_keys', 'oauth_grants', 'posts']) {
      this.addSql(`alter table "${table}" add column if not exists "policy_id" uuid null`);
    }
    this.addSql(
      `create index if not exists "api_keys_policy_id_index" on "api_keys" ("policy_id") where ("policy_id" is not null)`,
    );
    this.addSql(
      `create index if not exists "posts_policy_index" on "posts" ("policy_id", (coalesce("sent_at", "claimed_until", "scheduled_for", "created_at"))) where ("policy_id" is not null)`,
    );
    this.addSql(`create table if not exists "policies" (
      "id" uuid not null,
      "account_id" uuid not null,
      "kind" text not null,
      "rules" jsonb not null,
      "changed_at" timestamptz(3) not null,
      "changed_by_kind" text not null,
      "changed_by_id" uuid not null,
      "changed_by_name" text not null,
      primary key ("id"),
      constraint "policies_kind_check" check ("kind" in ('key', 'grant')),
      constraint "policies_changed_by_kind_check" check ("changed_by_kind" in ('key', 'grant', 'person')),
      constraint "policies_account_id_foreign" foreign key ("account_id") references "accounts" ("id")
    )`);
    this.addSql(`create index if not exists "policies_account_id_id_index" on "policies" ("account_id", "id")`);
  }
}
