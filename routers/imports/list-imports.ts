/** GET /imports: the imports of the past 30 days, newest first. */
import { z } from 'zod';
import { listImports as list } from '../../services/imports/list-imports.ts';
import { cursorInput, nextCursorOutput } from '../schemas/common.ts';
import { Import } from '../schemas/import.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({
  limit: z.int().min(1).max(100).default(25).describe('How many imports to give, 1 to 100. Default 25.'),
  cursor: cursorInput(),
});

const Output = z.strictObject({
  imports: z.array(Import).describe('The imports, newest first.'),
  limit: z.int().describe('The limit that was used.'),
  nextCursor: nextCursorOutput(),
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
