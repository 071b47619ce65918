/** POST /imports: imports posts from a CSV or JSON file, or says for each row what would happen. */
import { z } from 'zod';
import { IMPORT_FORMATS } from '../../entities/import.ts';
import { IMPORT_FILE_MAX } from '../../services/imports/read-rows.ts';
import { startImport as start } from '../../services/imports/start-import.ts';
import { slugInput, storableText, textInput, timeZoneInput, uuidInput } from '../schemas/common.ts';
import { Import } from '../schemas/import.ts';
import { keyedProcedure } from '../procedures.ts';
import { prepareRows } from './prepare-rows.ts';

const Input = z.strictObject({
  format: z.enum(IMPORT_FORMATS).describe('csv with a header, or json: an array of objects or one object a line.'),
  content: textInput(IMPORT_FILE_MAX).describe('The file as text: at most 1,000,000 characters and 1,000 rows.'),
  dryRun: z.boolean().default(false).describe('true creates nothing and says for each row what would happen.'),
  connectionSlugs: z
    .array(storableText(slugInput()))
    .min(1)
    .max(100)
    .optional()
    .describe('For rows that name no connections.'),
  profileId: uuidInput('Profile of the connections, for rows that name none.').optional(),
  timezone: timeZoneInput().optional().describe('IANA zone for times without offset, for rows that name none.'),
  untimed: z
    .enum(['draft', 'queue', 'now'])
    .default('draft')
    .describe('What to do with rows without scheduledFor, queue or draft: draft (default), queue, or now to publish.'),
  name: storableText(z.string().trim().min(1).max(200)).optional().describe('Label for people, 1 to 200 characters.'),
});

export const startImport = keyedProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/imports',
      tags: ['Imports'],
      summary: 'Import posts',
      description:
        'Imports posts from a file in the background, each row as POST /posts would. Try it with dryRun first. Read the rows with GET /imports/{importId}. The same file continues its import: rows that have a post are left alone, and failed ones are tried again. For 30 days no row creates posts twice.',
    },
    access: 'key',
    scope: 'posts:write',
    errors: ['invalid_request', 'limit_exceeded'],
    changes: { type: 'import', answer: 'import.id' },
    tool: {
      name: 'start_import',
      toolset: 'files',
      title: 'Import posts',
      readOnly: false,
      destructive: false,
      idempotent: true,
      openWorld: true,
    },
  })
  .input(Input)
  .output(z.strictObject({ import: Import }))
  .mutation(async ({ ctx, input: { format, content, dryRun, name = null, ...defaults } }) => {
    const rows = prepareRows(format, content, defaults);
    const { surface } = ctx;
    return { import: await start(ctx.services, ctx.caller, { format, dryRun, name, rows, surface }) };
  });
