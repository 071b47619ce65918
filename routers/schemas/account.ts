/** An account on the wire (docs/contract/profiles-and-keys.md#account). */
import { z } from 'zod';
import { PLAN_NAMES } from '../../entities/account.ts';
import { timestampOutput, uuidOutput } from './common.ts';

/** Largest spend cap: ten million cents. */
export const SPEND_CAP_MAX_CENTS = 10_000_000;

export const Account = z
  .strictObject({
    id: uuidOutput('Id of the account.'),
    plan: z.enum(PLAN_NAMES).describe('What the account may use; the operator of the install sets it.'),
    hasPaymentMethod: z.boolean().describe('Whether fees can be collected; the operator of the install sets it.'),
    xAnalytics: z.boolean().describe('Whether the numbers of X posts are read, which is charged.'),
    rewriteDefault: z.boolean().describe('Whether AI polish is asked for where neither post nor connection says.'),
    xSpendCapCents: z.int().nullable().describe('Most that X fees may come to in a UTC month, in cents; null: no cap.'),
    usage: z
      .strictObject({
        postsToday: z.int().describe('Live posts that went out this UTC day, and those on their way.'),
        messagesToday: z.int().describe('Those of them that are messages: SMS and email together.'),
        activeConnections: z.int().describe('Connections with a successful live send within 30 days.'),
        xSpendCents: z.int().describe('Fees of this UTC month, in cents.'),
        mediaBytes: z.int().describe('Bytes of all stored images.'),
        dayEndsAt: timestampOutput('When the count of the day starts anew.'),
      })
      .describe('What is used.'),
    caps: z
      .strictObject({
        postsPerDay: z.int().nullable().describe('Live posts in a UTC day; null: no cap.'),
        messagesPerDay: z.int().nullable().describe('SMS and email together in a UTC day; null: no cap.'),
        activeConnections: z.int().nullable().describe('Active connections; null: no cap.'),
        mediaBytes: z.int().describe('Bytes of all stored images.'),
      })
      .describe('What may be used.'),
    createdAt: timestampOutput('When the account was made.'),
  })
  .meta({ id: 'Account', description: 'An account: its plan, its usage and its settings.' });
