/** GET /imports: the imports of the past 30 days, newest first. */
import { z } from 'zod';
import { listImports as list } from '../../services/imports/list-imports.ts';
import { pageInput, pageOutput } from '../schemas/common.ts';
import { Import } from '../schemas/import.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({
  ...pageInput('imports'),
});

const Output = z.strictObject({
  imports: z.array(Import).describe('The imports, newest first.'),
  ...pageOutput(),
});

export const listImports = keyedProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/imports',
      tags: ['Imports'],
      summary: 'List imports',
      description:
        'Lists the imports of the past 30 days within the reach of the key, newest first, without their rows.',
    },
    access: 'key',
    scope: 'posts:read',
    errors: ['invalid_request'],
    tool: {
      name: 'list_imports',
      toolset: 'files',
      title: 'List imports',
      readOnly: true,
      destructive: false,
      idempotent: true,
      openWorld: false,
    },
  })
  .input(Input)
  .output(Output)
  .query(async ({ ctx, input }) => {
    const { items, nextCursor } = await list(ctx.services, ctx.caller, input);
    return { imports: items, limit: input.limit, nextCursor };
  });
