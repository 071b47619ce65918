/** Posts that wait for the approval of a person, and who created each post. */
import { StepMigration } from './step-migration.ts';

const NAMES = `'post.sent', 'post.failed', 'post.deleted', 'post.metrics', 'post.rescheduled', 'connection.created', 'connection.removed', 'webhook.disabled', 'feed.disabled', 'post.approval_requested', 'post.approved', 'post.rejected', 'post.approval_expired'`;

const ACTORS = `'key', 'grant', 'person'`;

export class Approvals extends StepMigration {
  override up(): void {
    for (const table of ['api_keys', 'oauth_grants']) {
      this.addSql(`alter table "${table}" add column if not exists "approval" text not null default 'none'`);
      this.addSql(`alter table "${table}" drop constraint if exists "${table}_approval_check"`);
      this.addSql(
        `alter table "${table}" add constraint "${table}_approval_check" check ("approval" in ('none', 'required')) not valid`,
      );
    }
    this.addSql(`alter table "posts" add column if not exists "approval_id" uuid null`);
    this.addSql(`alter table "posts" add column if not exists "created_by_kind" text null`);
    this.addSql(`alter table "posts" add column if not exists "created_by_id" uuid null`);
    this.addSql(`alter table "posts" drop constraint if exists "posts_created_by_kind_check"`);
    this.addSql(
      `alter table "posts" add constraint "posts_created_by_kind_check" check ("created_by_kind" in (${ACTORS})) not valid`,
    );
    this.addSql(`create table if not exists "approvals" (
      "id" uuid not null,
      "account_id" uuid not null,
      "profile_id" uuid null,
      "mode" text not null,
      "post_id" uuid not null,
      "state" text not null,
      "scheduled_for" timestamptz(3) null,
      "queue" boolean not null,
      "content" jsonb not null,
      "requested_at" timestamptz(3) not null,
      "expires_at" timestamptz(3) not null,
      "requested_by_kind" text not null,
      "requested_by_id" uuid not null,
      "requested_by_name" text not null,
      "decided_at" timestamptz(3) null,
      "decided_by_kind" text null,
      "decided_by_id" uuid null,
      "decided_by_name" text null,
      "reason" text null,
      "mailed_at" timestamptz(3) null,
      primary key ("id"),
      constraint "approvals_mode_check" check ("mode" in ('live', 'test')),
      constraint "approvals_state_check" check ("state" in ('pending', 'approved', 'rejected', 'expired', 'void')),
      constraint "approvals_requested_by_kind_check" check ("requested_by_kind" in (${ACTORS})),
      constraint "approvals_decided_by_kind_check" check ("decided_by_kind" in (${ACTORS})),
      constraint "approvals_account_id_foreign" foreign key ("account_id") references "accounts" ("id"),
      constraint "approvals_post_id_foreign" foreign key ("post_id") references "posts" ("id") on delete cascade
    )`);
    this.addSql(`create index if not exists "approvals_account_id_id_index" on "approvals" ("account_id", "id")`);
    this.addSql(`create index if not exists "approvals_post_id_id_index" on "approvals" ("post_id", "id")`);
    this.addSql(
      `create index if not exists "approvals_pending_index" on "approvals" ("account_id", "id") where ("state" = 'pending')`,
    );
    this.addSql(
      `create index if not exists "approvals_requester_index" on "approvals" ("requested_by_id") where ("state" = 'pending')`,
    );
    this.addSql(
      `create index if not exists "approvals_expiry_index" on "approvals" ("expires_at") where ("state" = 'pending')`,
    );
    this.addSql(
      `create index if not exists "approvals_mail_index" on "approvals" ("account_id", "requested_at") where ("state" = 'pending' and "mailed_at" is null)`,
    );
    this.addSql(
      `create unique index if not exists "approvals_pending_unique" on "approvals" ("post_id") where ("state" = 'pending')`,
    );
    this.addSql(`create table if not exists "approval_allowances" (
      "id" uuid not null,
      "account_id" uuid not null,
      "posts_left" int not null,
      "ends_at" timestamptz(3) not null,
      "given_by_kind" text not null,
      "given_by_id" uuid not null,
      "given_by_name" text not null,
      primary key ("id"),
      constraint "approval_allowances_given_by_kind_check" check ("given_by_kind" in (${ACTORS})),
      constraint "approval_allowances_account_id_foreign" foreign key ("account_id") references "accounts" ("id")
    )`);
    this.addSql(`create index if not exists "approval_allowances_ends_at_index" on "approval_allowances" ("ends_at")`);
    this.addSql(`alter table "events" drop constraint if exists "events_name_check"`);
    this.addSql(`alter table "events" add constraint "events_name_check" check ("name" in (${NAMES})) not valid`);
    this.addSql(`alter table "deliveries" drop constraint if exists "deliveries_event_check"`);
    this.addSql(
      `alter table "deliveries" add constraint "deliveries_event_check" check ("event" in (${NAMES})) not valid`,
    );
  }
}
