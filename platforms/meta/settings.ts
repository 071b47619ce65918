/** What the operator of an install sets for Meta: Facebook and Instagram share one app. */
import { type AppOf, appWithSecret, server } from '../settings.ts';

const app = appWithSecret(
  'meta',
  { id: 'META_CLIENT_ID', secret: 'META_CLIENT_SECRET' },
  {
    id: 'App ID of your app at Meta, with which customers connect Facebook Pages and Instagram accounts.',
    secret: 'App secret of that app. Set together with the ID.',
  },
  'https://developers.facebook.com/apps',
);

const endpoints = {
  META_GRAPH_URL: server(
    'https://graph.facebook.com',
    'Server of the Graph API, used for Facebook Pages and Instagram accounts.',
  ),
  META_AUTH_URL: server('https://www.facebook.com', "Server of Facebook's consent page."),
};

export const settings = { app, endpoints };

declare module '../settings.ts' {
  interface PlatformApps {
    readonly meta: AppOf<typeof app>;
  }
  interface PlatformEndpoints extends Readonly<Record<keyof typeof endpoints, string>> {}
}
