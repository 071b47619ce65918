/**
 * POST /connections: links an account with credentials from the caller. Emits connection.created
 * (docs/contract/connections.md#linking-with-credentials).
 */
import { z } from 'zod';
import { connectAccount as connect } from '../../services/connections/connect-account.ts';
import { storableRecord, textInput, uuidInput } from '../schemas/common.ts';
import { Connection, ConnectionDescription, Slug } from '../schemas/connection.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({
  platformId: textInput(100).describe('Platform of the account, one of the ids that GET /platforms lists.'),
  credentials: storableRecord().describe(
    'Login of the account. sandbox: {}. bluesky: { identifier, appPassword, service? }. mastodon: { instanceUrl, accessToken }. linkedin: { accessToken, refreshToken?, expiresAt?, organizationId? }. facebook: { pageId, accessToken }. instagram: { userId, accessToken }. threads: { accessToken, refreshToken?, expiresAt? }. nostr: { secretKey, relays? }. x: { accessToken, refreshToken?, expiresAt? }. reddit: { accessToken, refreshToken?, expiresAt?, subreddit? }. telegram: { botToken, chatId }. discord: { webhookUrl }. slack: { botToken, channelId }. sms: { to }. email: { to, subject? }.',
  ),
  slug: Slug.optional().describe('Slug to address the connection by. Left out, one is made from platform and handle.'),
  description: ConnectionDescription.optional().describe('Label for people, 1 to 200 characters.'),
  profileId: uuidInput('Profile the connection is to belong to. Left out, it is one of the caller’s own.').optional(),
});
const Output = z.strictObject({ connection: Connection });

export const connectAccount = keyedProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/connections',
      tags: ['Connections'],
      summary: 'Connect an account',
      description:
        'Links an account from credentials you already hold. They are checked against the platform before anything is stored, and kept encrypted.',
    },
    access: 'account',
    scope: 'connections:write',
    errors: [
      'invalid_request',
      'forbidden',
      'not_found',
      'connection_conflict',
      'platform_rejected',
      'platform_unavailable',
    ],
    changes: { type: 'connection', answer: 'connection.id' },
    tool: { none: 'It takes passwords and tokens, which do not belong in a conversation with a model.' },
  })
  .input(Input)
  .output(Output)
  .mutation(async ({ ctx, input }) => ({ connection: await connect(ctx.services, ctx.caller, input) }));
