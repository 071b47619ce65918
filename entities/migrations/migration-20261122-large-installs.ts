/**
 * Indexes for installs with millions of posts: words together with periods of time, so that a search reads the newest posts
 * first (docs/decisions/0089-search-words-from-the-newest-posts-on.md), posts that went out long after they were
 * accepted, for the calendar, and deliveries of disabled webhooks. On a large install, build them beforehand without locking the tables:
 * docs/scale.md#updates-of-large-installs.
 */
import { CREATE_SEARCH_INDEX } from './search-index.ts';
import { StepMigration } from './step-migration.ts';

const STATEMENTS = [
  CREATE_SEARCH_INDEX,
  `drop index if exists "post_words_index"`,
  `create index if not exists "posts_long_wait_index" on "posts" ("account_id", (coalesce("sent_at", "scheduled_for"))) where (coalesce("sent_at", "scheduled_for") - "created_at" > interval '31 days')`,
  `create index if not exists "deliveries_paused_index" on "deliveries" ("webhook_id") where ("paused")`,
];

export class LargeInstalls extends StepMigration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}
