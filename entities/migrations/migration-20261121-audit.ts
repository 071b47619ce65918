/** The audit: who asked for which change, and what came of it. */
import { Migration } from '@mikro-orm/migrations';

export class Audit extends Migration {
  override up(): void {
    this.addSql(
      `create table "audit_entries" ("id" uuid not null, "account_id" uuid not null, "at" timestamptz(3) not null, "actor_kind" text not null, "actor_id" text not null, "actor_name" text not null, "surface" text not null, "operation" text not null, "object_type" text null, "object_ids" uuid[] not null, "outcome" text null, "mode" text not null, "profile_id" uuid null, "request_id" text null, primary key ("id"))`,
    );
    for (const column of ['actor_id', 'operation']) {
      this.addSql(
        `create index "audit_entries_account_id_${column}_id_index" on "audit_entries" ("account_id", "${column}", "id")`,
      );
    }
    this.addSql(`create index "audit_entries_account_id_id_index" on "audit_entries" ("account_id", "id")`);
    // Nearly everything is asked for with keys and goes well: who looks for the rest does not walk past that.
    this.addSql(
      `create index "audit_entries_other_actors_index" on "audit_entries" ("account_id", "actor_kind", "id") where ("actor_kind" <> 'key')`,
    );
    this.addSql(
      `create index "audit_entries_not_ok_index" on "audit_entries" ("account_id", "outcome", "id") where ("outcome" is null or "outcome" <> 'ok')`,
    );
    this.addSql(`create index "audit_entries_object_ids_index" on "audit_entries" using gin ("object_ids")`);
    this.addSql(
      `alter table "audit_entries" add constraint "audit_entries_account_id_foreign" foreign key ("account_id") references "accounts" ("id")`,
    );
    this.addSql(
      `alter table "audit_entries" add constraint "audit_entries_actor_kind_check" check ("actor_kind" in ('key', 'oauth_client', 'person', 'customer', 'operator'))`,
    );
    this.addSql(
      `alter table "audit_entries" add constraint "audit_entries_surface_check" check ("surface" in ('rest', 'trpc', 'mcp', 'console', 'connect_page', 'operator', 'oauth'))`,
    );
    this.addSql(
      `alter table "audit_entries" add constraint "audit_entries_mode_check" check ("mode" in ('live', 'test'))`,
    );
  }
}
