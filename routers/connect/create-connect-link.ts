/** POST /connect-sessions: a link with which the holder of the account connects an account, or connects one again. */
import { z } from 'zod';
import { createConnectLink as create } from '../../services/connect/create-connect-link.ts';
import { textInput, uuidInput } from '../schemas/common.ts';
import { ConnectLink, RedirectUrl } from '../schemas/connect-session.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({
  profileId: uuidInput('Profile the connection goes into.')
    .nullable()
    .optional()
    .describe('Profile the connection goes into; null or left out for one of your own accounts.'),
  platform: textInput(100)
    .optional()
    .describe(
      'Platform to connect: one whose ways to connect in GET /platforms (get_platform_rules) include "page". A test key names sandbox only. Left out, the person picks on the page.',
    ),
  reconnectConnectionId: uuidInput(
    'Connection whose account is connected again, with the same id, slug, queue and posts; another account is refused. It decides platform and profile, so leave them out.',
  ).optional(),
  redirectUrl: RedirectUrl.optional().describe(
    'Where the browser goes in the end, as for POST /profiles/{profileId}/connect. Left out, the connections in the console of this install.',
  ),
  headless: z.boolean().default(false).describe('Whether the page goes without header and footer. Default false.'),
});

export const createConnectLink = keyedProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/connect-sessions',
      tags: ['Connections'],
      summary: 'Make a connect link for any account',
      description:
        'Makes a link to the hosted connect page, for an account of your own, for a profile, or for a connection whose login has ended. In the end the browser goes to redirectUrl with connectSessionId and the connection added, or with connectSessionId and error.',
    },
    access: 'account',
    scope: 'connections:write',
    errors: ['invalid_request', 'forbidden', 'not_found'],
    changes: { type: 'connect_session', answer: 'connectSessionId' },
    tool: {
      name: 'create_connect_link',
      toolset: 'connections',
      title: 'Make a connect link for any account',
      readOnly: false,
      destructive: false,
      idempotent: false,
      openWorld: false,
    },
  })
  .input(Input)
  .output(ConnectLink)
  .mutation(({ ctx, input }) => create(ctx.services, ctx.caller, input));
