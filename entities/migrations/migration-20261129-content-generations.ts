/** Says from which send on a post has its present content (docs/decisions/0141-search-only-for-sends-of-the-present-content.md). */
import { StepMigration } from './step-migration.ts';

export class ContentGenerations extends StepMigration {
  override up(): void {
    this.addSql(`alter table "posts" add column if not exists "content_generation" int not null default 0`);
  }
}
