/** GET /imports/{importId}: the state of an import, and its rows. */
import { z } from 'zod';
import { getImport as get } from '../../services/imports/get-import.ts';
import { pageOutput } from '../schemas/common.ts';
import { Import, ImportIdInput, ImportRow, ImportRowStatus } from '../schemas/import.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({
  importId: ImportIdInput,
  status: ImportRowStatus.optional().describe('Only rows with this status, such as failed.'),
  limit: z.int().min(1).max(100).default(25).describe('How many rows to give, 1 to 100. Default 25.'),
  cursor: z
    .string()
    .max(10)
    .regex(/^\d{1,9}$/, 'the nextCursor of the page before')
    .optional()
    .describe('The nextCursor of the page before: the list goes on after it.'),
});

const Output = z.strictObject({
  import: Import,
  rows: z.array(ImportRow).describe('The rows, in the order of the file.'),
  ...pageOutput(),
});

export const getImport = keyedProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/imports/{importId}',
      tags: ['Imports'],
      summary: 'Read an import',
      description: 'Reads the state of an import and a page of its rows, each with its posts or its error.',
    },
    access: 'key',
    scope: 'posts:read',
    errors: ['invalid_request', 'not_found'],
    tool: {
      name: 'get_import',
      toolset: 'files',
      title: 'Read an import',
      readOnly: true,
      destructive: false,
      idempotent: true,
      openWorld: false,
    },
  })
  .input(Input)
  .output(Output)
  .query(async ({ ctx, input: { importId, cursor, ...page } }) => {
    const after = cursor === undefined ? undefined : Number(cursor);
    const { nextCursor, ...found } = await get(ctx.services, ctx.caller, importId, { ...page, cursor: after });
    return { ...found, limit: page.limit, nextCursor };
  });
