/** GET /account: plan, usage, caps and settings of the caller's account (docs/contract/profiles-and-keys.md#account). */
import { z } from 'zod';
import { readAccount } from '../../services/account/read-account.ts';
import { Account } from '../schemas/account.ts';
import { keyedProcedure } from '../procedures.ts';

export const getAccount = keyedProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/account',
      tags: ['Account'],
      summary: 'Get the account',
      description: 'Reads the plan of the account, how much of it is used, and the account’s settings.',
    },
    access: 'live-account',
    scope: 'account:read',
    errors: [],
    tool: {
      name: 'get_account',
      toolset: 'account',
      title: 'Get the account',
      readOnly: true,
      destructive: false,
      idempotent: true,
      openWorld: false,
    },
  })
  .input(z.strictObject({}))
  .output(z.strictObject({ account: Account }))
  .query(async ({ ctx }) => ({ account: await readAccount(ctx.services, ctx.caller.accountId) }));
