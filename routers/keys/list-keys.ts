/** GET /keys: the keys of the whole account, oldest first (docs/contract/profiles-and-keys.md#keys). */
import { z } from 'zod';
import { listKeys as list } from '../../services/keys/list-keys.ts';
import { keyListFields, KeyList } from '../schemas/key.ts';
import { keyedProcedure } from '../procedures.ts';

export const listKeys = keyedProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/keys',
      tags: ['Keys'],
      summary: 'List keys',
      description:
        'Lists the keys of the account and of all its profiles, oldest first, without their secrets. A test key sees test keys only.',
    },
    access: 'account',
    scope: 'keys:read',
    errors: ['invalid_request'],
    tool: {
      name: 'list_keys',
      toolset: 'keys',
      title: 'List keys',
      readOnly: true,
      destructive: false,
      idempotent: true,
      openWorld: false,
    },
  })
  .input(z.strictObject(keyListFields))
  .output(KeyList)
  .query(async ({ ctx, input }) => {
    const { keys, nextCursor } = await list(ctx.services, ctx.caller, input);
    return { keys, limit: input.limit, offset: input.offset, nextCursor };
  });
