/** PATCH /account: the settings that the owner of an account controls (docs/contract/profiles-and-keys.md#account). */
import { z } from 'zod';
import { ServiceError } from '../../errors/service-error.ts';
import { updateAccount as update } from '../../services/account/update-account.ts';
import { Account, SPEND_CAP_MAX_CENTS } from '../schemas/account.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({
  xAnalytics: z.boolean().optional().describe('Whether to read the numbers of X posts. Each read is charged.'),
  rewriteDefault: z
    .boolean()
    .optional()
    .describe('Whether AI polish is asked for where neither the post nor its connection says.'),
  xSpendCapCents: z
    .int()
    .min(0)
    .max(SPEND_CAP_MAX_CENTS)
    .nullable()
    .optional()
    .describe('Most that X fees may come to in a UTC month, in cents; null for no cap.'),
});

export const updateAccount = keyedProcedure
  .meta({
    openapi: {
      method: 'PATCH',
      path: '/account',
      tags: ['Account'],
      summary: 'Change the settings of the account',
      description:
        'Changes only the settings that are sent. The plan and the payment method are the operator’s to set.',
    },
    access: 'live-account',
    scope: null,
    refusedWhereSupervised: true,
    errors: ['invalid_request'],
    changes: 'account',
    tool: { none: 'What an account may spend is for its owner to decide.' },
  })
  .input(Input)
  .output(z.strictObject({ account: Account }))
  .mutation(async ({ ctx, input }) => {
    if (Object.keys(input).length === 0) {
      throw new ServiceError(
        'invalid_request',
        'body: name at least one of xAnalytics, rewriteDefault, xSpendCapCents.',
      );
    }
    return { account: await update(ctx.services, ctx.caller.accountId, input) };
  });
