/** What the operator of an install sets for LinkedIn. */
import { z } from 'zod';
import { type AppOf, defineApp, secret, SECRET_OF_APP, type Setting, server, text } from '../settings.ts';

/** In OAuth's form: names separated by spaces. LinkedIn refuses a request with a scope that it did not grant the app. */
const scopes: Setting<string[]> = {
  schema: z
    .string()
    .regex(/^[\w.:/-]+( [\w.:/-]+)*$/, 'must be names of scopes with one space between them')
    .transform((value) => value.split(' '))
    .prefault('openid profile w_member_social'),
  type: 'list of scopes',
  range: 'separated by one space',
  meaning:
    'Scopes that customers are asked for. LinkedIn refuses the whole request if one of them was not granted to the app. Customers can choose pages if `openid profile w_member_social w_organization_social r_organization_social rw_organization_admin` is granted and set.',
};

const app = defineApp({
  id: 'linkedin',
  registerAt: 'https://www.linkedin.com/developers/apps',
  settings: {
    LINKEDIN_CLIENT_ID: text(
      'Client ID of your app at LinkedIn, with which customers connect members and pages, and access tokens are renewed.',
    ),
    LINKEDIN_CLIENT_SECRET: secret(SECRET_OF_APP),
    LINKEDIN_SCOPES: scopes,
  },
  together: ['LINKEDIN_CLIENT_ID', 'LINKEDIN_CLIENT_SECRET'],
  read: ({ LINKEDIN_CLIENT_ID: clientId, LINKEDIN_CLIENT_SECRET: clientSecret, LINKEDIN_SCOPES: asked }) =>
    clientId === undefined || clientSecret === undefined
      ? null
      : { clientId, clientSecret, scopes: asked as readonly string[] },
});

const endpoints = {
  LINKEDIN_API_URL: server('https://api.linkedin.com', "Server of LinkedIn's API."),
  LINKEDIN_AUTH_URL: server('https://www.linkedin.com', "Server of LinkedIn's consent page and of its token endpoint."),
};

export const settings = { app, endpoints };

declare module '../settings.ts' {
  interface PlatformApps {
    readonly linkedin: AppOf<typeof app>;
  }
  interface PlatformEndpoints extends Readonly<Record<keyof typeof endpoints, string>> {}
}
