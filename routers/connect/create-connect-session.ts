/** POST /profiles/{profileId}/connect: a link with which a customer connects an account into a profile. */
import { z } from 'zod';
import { createConnectSession as create } from '../../services/connect/create-connect-session.ts';
import { textInput, timestampOutput, uuidInput, uuidOutput } from '../schemas/common.ts';
import { RedirectUrl } from '../schemas/connect-session.ts';
import { keyedProcedure } from '../trpc.ts';

const Input = z.strictObject({
  profileId: uuidInput('Profile the connection goes into.'),
  platform: textInput(100)
    .optional()
    .describe(
      'Platform to connect: one whose ways to connect in GET /platforms (get_platform_rules) include "page". A test key names sandbox only. Left out, the customer picks on the page.',
    ),
  redirectUrl: RedirectUrl,
  headless: z.boolean().default(false).describe('Whether the page goes without header and footer. Default false.'),
});
const Output = z.strictObject({
  url: z
    .string()
    .meta({ format: 'uri' })
    .describe('The link, for the customer alone. It is shown this once, works once and lasts fifteen minutes.'),
  expiresAt: timestampOutput('Instant from which the link no longer works.'),
  connectSessionId: uuidOutput('Id to follow the session by.'),
});

export const createConnectSession = keyedProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/profiles/{profileId}/connect',
      tags: ['Profiles'],
      summary: 'Make a connect link',
      description:
        'Makes a link to a page where a customer links an account into the profile, without seeing an API key and without the caller seeing a login. In the end the customer is sent to redirectUrl with connectSessionId, connectionId, profileId, slug and platform added, or with connectSessionId and error.',
    },
    access: 'key',
    scope: 'connections:write',
    errors: ['invalid_request', 'forbidden', 'not_found'],
    changes: { type: 'connect_session', answer: 'connectSessionId' },
    tool: {
      name: 'start_connection',
      toolset: 'posting',
      title: 'Make a connect link',
      readOnly: false,
      destructive: false,
      idempotent: false,
      openWorld: false,
    },
  })
  .input(Input)
  .output(Output)
  .mutation(({ ctx, input }) => create(ctx.services, ctx.caller, input));
