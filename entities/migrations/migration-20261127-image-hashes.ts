/** Stores a hash of the bytes of each new image (docs/decisions/0131-limit-transfers-by-progress-and-check-images-by-hash.md). */
import { StepMigration } from './step-migration.ts';

export class ImageHashes extends StepMigration {
  override up(): void {
    this.addSql(`alter table "media" add column if not exists "bytes_hash" varchar(64) null`);
  }
}
