/** A connect session on the wire (docs/contract/connections.md#connect-sessions). */
import { z } from 'zod';
import { REDIRECT_URL_MAX, redirectUrlProblem } from '../../services/connect/redirect-url.ts';
import { timestampOutput, uuidOutput } from './common.ts';

/** Where the customer is finally redirected: stored and used exactly as it is sent. */
export const RedirectUrl = z
  .string()
  .max(REDIRECT_URL_MAX)
  .superRefine((text, issue) => {
    // Too long a value gets only the error about its length. The pattern of an address refuses values that cannot be
    // stored.
    const problem = text.length > REDIRECT_URL_MAX ? null : redirectUrlProblem(text);
    if (problem !== null) issue.addIssue({ code: 'custom', message: problem });
  })
  .meta({
    format: 'uri',
    description:
      'Where the customer ends: https on a public host, or http on localhost; no fragment. A redirect allowlist of the key must name its origin.',
  });

export const ConnectSession = z
  .strictObject({
    id: uuidOutput('Id of the session.'),
    profileId: uuidOutput('Profile the connection goes into; null for one of the caller’s own.').nullable(),
    platform: z.string().describe('Platform to connect; null when the customer picks on the page.').nullable(),
    status: z.enum(['pending', 'connected', 'failed', 'expired']).describe('How far it has come.'),
    connectionId: uuidOutput('The connection that was made or renewed; null until then.').nullable(),
    reconnectConnectionId: uuidOutput(
      'The connection whose account is connected again; null when the link makes a connection.',
    ).nullable(),
    error: z.enum(['cancelled', 'connect_failed']).describe('Why it failed; null otherwise.').nullable(),
    redirectUrl: z.string().describe('Where the customer is sent in the end.'),
    headless: z.boolean().describe('Whether the page goes without header and footer.'),
    openedAt: timestampOutput('When a browser opened the link; null until then.').nullable(),
    expiresAt: timestampOutput('Instant from which the link no longer works.'),
    createdAt: timestampOutput('Instant at which it was made.'),
  })
  .meta({ id: 'ConnectSession', description: 'A link with which a person connects an account.' });

/** A new link. */
export const ConnectLink = z.strictObject({
  url: z
    .string()
    .meta({ format: 'uri' })
    .describe(
      'The link, for the person who connects, alone. It is shown this once, works once and lasts fifteen minutes.',
    ),
  expiresAt: timestampOutput('Instant from which the link no longer works.'),
  connectSessionId: uuidOutput('Id to follow the session by.'),
});
