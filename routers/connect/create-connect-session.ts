/** POST /profiles/{profileId}/connect: a link with which a customer connects an account into a profile. */
import { z } from 'zod';
import { createConnectSession as create } from '../../services/connect/create-connect-session.ts';
import { textInput, uuidInput } from '../schemas/common.ts';
import { ConnectLink, RedirectUrl } from '../schemas/connect-session.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({
  profileId: uuidInput('Profile the connection goes into.'),
  platform: textInput(100)
    .optional()
    .describe(
      'Platform to connect: one whose ways to connect in get_platform_rules include "page"; for a test key, sandbox. Left out, the customer picks.',
    ),
  redirectUrl: RedirectUrl,
  headless: z.boolean().default(false).describe('Without header and footer.'),
});
export const createConnectSession = keyedProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/profiles/{profileId}/connect',
      tags: ['Profiles'],
      summary: 'Make a connect link',
      description:
        'Makes a link to a page where a customer links an account into the profile; the caller never sees the login. The customer ends at redirectUrl with connectSessionId, and connectionId, profileId, slug and platform, or error.',
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
  .output(ConnectLink)
  .mutation(({ ctx, input }) => create(ctx.services, ctx.caller, input));
