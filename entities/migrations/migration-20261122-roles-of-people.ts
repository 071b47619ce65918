/**
 * Gives people roles, and links the invitation that they can be. Everyone who signed in before is an owner. What belongs
 * to a person is deleted together with the person.
 */
import { StepMigration } from './step-migration.ts';

const ROLE_CHECK = `check ("role" in ('owner', 'editor', 'viewer'))`;

const STATEMENTS = [
  `alter table "owners" add column if not exists "role" text not null default 'owner'`,
  `alter table "owners" drop constraint if exists "owners_role_check"`,
  `alter table "owners" add constraint "owners_role_check" ${ROLE_CHECK}`,
  `create index if not exists "owners_account_id_id_index" on "owners" ("account_id", "id")`,
  `alter table "owner_links" add column if not exists "owner_id" uuid null`,
  `alter table "owner_links" add column if not exists "email" varchar(255) null`,
  `alter table "owner_links" add column if not exists "role" text null`,
  `alter table "owner_links" add column if not exists "invited_by" uuid null`,
  `alter table "owner_links" drop constraint if exists "owner_links_role_check"`,
  `alter table "owner_links" add constraint "owner_links_role_check" ${ROLE_CHECK}`,
  `create index if not exists "owner_links_account_id_id_index" on "owner_links" ("account_id", "id")`,
  ...ownedBy('owner_links', 'owner_id'),
  ...ownedBy('owner_links', 'invited_by'),
  ...ownedBy('passkeys', 'owner_id'),
  ...ownedBy('sign_ins', 'owner_id'),
  ...ownedBy('oauth_grants', 'owner_id'),
];

/** Rows of the table are deleted with the person whom the column names. */
function ownedBy(table: string, column: string): string[] {
  const name = `"${table}_${column}_foreign"`;
  return [
    `alter table "${table}" drop constraint if exists ${name}`,
    `alter table "${table}" add constraint ${name} foreign key ("${column}") references "owners" ("id") on delete cascade`,
  ];
}

export class RolesOfPeople extends StepMigration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}
