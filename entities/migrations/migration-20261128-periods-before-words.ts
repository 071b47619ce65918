/**
 * Puts the periods of time before the words in the index of a search (docs/decisions/0135-index-periods-before-words.md). On a
 * large install, build it beforehand without locking the table: docs/scale.md#updates-of-large-installs.
 */
import { CREATE_SEARCH_INDEX } from './search-index.ts';
import { StepMigration } from './step-migration.ts';

export class PeriodsBeforeWords extends StepMigration {
  override up(): void {
    this.addSql(CREATE_SEARCH_INDEX);
    this.addSql(`drop index if exists "post_words_time_index"`);
  }
}
