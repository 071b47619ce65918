/** POST /imports/{importId}/cancel: begins no further row. */
import { z } from 'zod';
import { cancelImport as cancel } from '../../services/imports/cancel-import.ts';
import { Import, ImportIdInput } from '../schemas/import.ts';
import { keyedProcedure } from '../procedures.ts';

export const cancelImport = keyedProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/imports/{importId}/cancel',
      tags: ['Imports'],
      summary: 'Cancel an import',
      description:
        'Begins no further row of an import. The posts that it has created stay; the same file continues it later. An import that has ended stays as it is.',
    },
    access: 'key',
    scope: 'posts:write',
    errors: ['invalid_request', 'not_found'],
    tool: {
      name: 'cancel_import',
      toolset: 'files',
      title: 'Cancel an import',
      readOnly: false,
      destructive: true,
      idempotent: true,
      openWorld: false,
    },
  })
  .input(z.strictObject({ importId: ImportIdInput }))
  .output(z.strictObject({ import: Import }))
  .mutation(async ({ ctx, input }) => ({ import: await cancel(ctx.services, ctx.caller, input.importId) }));
