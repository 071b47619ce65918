/**
 * Adds periods of seven weeks to the index of words (docs/decisions/0130-survey-where-the-words-of-a-search-are.md), for installs that
 * had `LargeInstalls` when that made an index without them. On a large one, build it beforehand without locking the table: docs/scale.md#updates-of-large-installs.
 */
import { CREATE_SEARCH_INDEX } from './search-index.ts';
import { StepMigration } from './step-migration.ts';

const STATEMENTS = [CREATE_SEARCH_INDEX, `drop index if exists "post_words_period_index"`];

export class WeeksOfWords extends StepMigration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}
