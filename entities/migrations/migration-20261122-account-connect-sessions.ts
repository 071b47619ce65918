/**
 * Connect sessions that make own accounts or connect an account again, in a list by account; and the end of credentials
 * that cannot be renewed.
 */
import { StepMigration } from './step-migration.ts';

const STATEMENTS = [
  `alter table "connect_sessions" alter column "profile_id" drop not null`,
  `alter table "connect_sessions" drop constraint if exists "connect_sessions_profile_id_foreign"`,
  `alter table "connect_sessions" add constraint "connect_sessions_profile_id_foreign" foreign key ("profile_id") references "profiles" ("id") on delete no action`,
  `alter table "connect_sessions" add column if not exists "reconnect_connection_id" uuid null`,
  `alter table "connect_sessions" drop constraint if exists "connect_sessions_reconnect_connection_id_foreign"`,
  `alter table "connect_sessions" add constraint "connect_sessions_reconnect_connection_id_foreign" foreign key ("reconnect_connection_id") references "connections" ("id") on delete no action`,
  `create index if not exists "connect_sessions_account_id_id_index" on "connect_sessions" ("account_id", "id")`,
  `alter table "connections" add column if not exists "credential_ends_at" timestamptz(3) null`,
];

export class AccountConnectSessions extends StepMigration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}
