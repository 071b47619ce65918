/** Indexes by which expired rows are found, and how often the reads of a post were thinned. */
import { StepMigration } from './step-migration.ts';

const STATEMENTS = [
  `alter table "posts" add column if not exists "reads_thinned" int not null default 0`,
  `create index if not exists "posts_thinning_index" on "posts" ("reads_thinned", "sent_at") where ("sent_at" is not null and "reads_thinned" < 2)`,
  `create index if not exists "read_pauses_until_index" on "read_pauses" ("until")`,
  `create index if not exists "sign_ins_expires_at_index" on "sign_ins" ("expires_at")`,
  `create index if not exists "sign_in_waits_last_tried_at_index" on "sign_in_waits" ("last_tried_at")`,
  `create index if not exists "used_challenges_expires_at_index" on "used_challenges" ("expires_at")`,
  `create index if not exists "owner_links_expires_at_index" on "owner_links" ("expires_at")`,
  `create index if not exists "oauth_grants_ended_index" on "oauth_grants" (coalesce("revoked_at", "last_used_at", "created_at"))`,
  `create index if not exists "oauth_artifacts_clients_index" on "oauth_artifacts" ("expires_at") where ("kind" = 'Client')`,
  `create index if not exists "media_stored_index" on "media" ("id") where ("state" = 'stored')`,
  `create index if not exists "rate_limit_hits_at_index" on "rate_limit_hits" ("at")`,
];

export class Retention extends StepMigration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}
