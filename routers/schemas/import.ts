/** Imports of posts on the wire (docs/contract/import-export.md#imports). */
import { z } from 'zod';
import { IMPORT_FORMATS, IMPORT_STATUSES } from '../../entities/import.ts';
import { IMPORT_ROW_STATUSES } from '../../entities/import-row.ts';
import { ItemError, timestampOutput, uuidInput, uuidOutput } from './common.ts';

export const ImportIdInput = uuidInput('Id of the import.');

export const ImportRowStatus = z.enum(IMPORT_ROW_STATUSES);

const count = (description: string) => z.int().describe(description);

export const Import = z
  .strictObject({
    id: uuidOutput('Id of the import.'),
    name: z.string().nullable().describe('Label for people; null for none.'),
    format: z.enum(IMPORT_FORMATS).describe('Format of the file.'),
    dryRun: z.boolean().describe('Whether it only says what would happen.'),
    status: z.enum(IMPORT_STATUSES).describe('running until every row has a result.'),
    rows: count('Rows of the file.'),
    counts: z
      .strictObject({
        pending: count('Rows that wait.'),
        valid: count('Dry run: rows that would be accepted.'),
        created: count('Rows with at least one post.'),
        skipped: count('Rows that another import has created.'),
        failed: count('Rows without a post.'),
      })
      .describe('Rows by status.'),
    error: z.string().nullable().describe('Why it ended without being cancelled; null otherwise.'),
    createdAt: timestampOutput('When it was started.'),
    endedAt: timestampOutput('When it ended; null while it runs.').nullable(),
  })
  .meta({ id: 'Import', description: 'An import of posts from a file.' });

const RowResult = z.strictObject({
  connectionSlug: z.string().describe('Slug that the result is for.'),
  status: z
    .enum(['valid', 'processing', 'sent', 'scheduled', 'draft', 'failed'])
    .describe('valid in a dry run; processing while it is being sent.'),
  postId: uuidOutput('Id of the post; null when none was created.').nullable(),
  scheduledFor: timestampOutput('When it goes out; null otherwise.').nullable(),
  error: ItemError.nullable().describe('Why there is no post, or why its send failed; null otherwise.'),
});

export const ImportRow = z
  .strictObject({
    row: z.int().describe('Number of the row: 1 for the first after the header.'),
    status: ImportRowStatus.describe('created, when at least one connection has a post.'),
    results: z.array(RowResult).describe('One result per connection; empty before there is one.'),
    error: ItemError.nullable().describe('Why the row has no post; null otherwise.'),
  })
  .meta({ id: 'ImportRow', description: 'A row of an imported file, with what happened to it.' });
