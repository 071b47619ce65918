/** Imports of posts from files. */
import { StepMigration } from './step-migration.ts';

export class Imports extends StepMigration {
  override up(): void {
    this.addSql(`create table if not exists "imports" (
      "id" uuid not null,
      "account_id" uuid not null,
      "profile_id" uuid null,
      "mode" text not null,
      "caller" jsonb not null,
      "surface" text not null,
      "name" text null,
      "format" text not null,
      "dry_run" boolean not null,
      "status" text not null default 'running',
      "fingerprint" varchar(64) null,
      "error_message" text null,
      "created_at" timestamptz(3) not null,
      "ended_at" timestamptz(3) null,
      "lease" uuid null,
      "lease_until" timestamptz(3) null,
      primary key ("id"),
      constraint "imports_fingerprint_unique" unique ("account_id", "fingerprint"),
      constraint "imports_mode_check" check ("mode" in ('live', 'test')),
      constraint "imports_surface_check" check ("surface" in ('rest', 'trpc', 'mcp', 'console', 'connect_page', 'operator', 'oauth')),
      constraint "imports_format_check" check ("format" in ('csv', 'json')),
      constraint "imports_status_check" check ("status" in ('running', 'done', 'cancelled')),
      constraint "imports_account_id_foreign" foreign key ("account_id") references "accounts" ("id")
    )`);
    this.addSql(`create index if not exists "imports_account_id_id_index" on "imports" ("account_id", "id")`);
    this.addSql(
      `create index if not exists "imports_running_index" on "imports" ("account_id", "id") where ("status" = 'running')`,
    );
    this.addSql(`create table if not exists "import_rows" (
      "id" uuid not null,
      "import_id" uuid not null,
      "account_id" uuid not null,
      "number" int not null,
      "input" jsonb null,
      "hash" varchar(64) not null,
      "status" text not null default 'pending',
      "tries" int not null default 0,
      "results" jsonb not null,
      "error_code" varchar(255) null,
      "error_message" text null,
      primary key ("id"),
      constraint "import_rows_number_unique" unique ("import_id", "number"),
      constraint "import_rows_status_check" check ("status" in ('pending', 'valid', 'created', 'skipped', 'failed')),
      constraint "import_rows_import_id_foreign" foreign key ("import_id") references "imports" ("id") on delete cascade
    )`);
    this.addSql(
      `create index if not exists "import_rows_created_index" on "import_rows" ("account_id", "hash") where ("status" = 'created')`,
    );
  }
}
