/** What the operator of an install sets for Reddit. */
import { type AppOf, appWithSecret, server } from '../settings.ts';

const app = appWithSecret(
  'reddit',
  { id: 'REDDIT_CLIENT_ID', secret: 'REDDIT_CLIENT_SECRET' },
  {
    id: 'Client ID of your app at Reddit, with which customers connect accounts, and access tokens are renewed.',
  },
  'https://www.reddit.com/prefs/apps',
);

const endpoints = {
  REDDIT_API_URL: server('https://oauth.reddit.com', "Server of Reddit's API."),
  REDDIT_AUTH_URL: server('https://www.reddit.com', "Server of Reddit's consent page and of its token endpoint."),
};

export const settings = { app, endpoints };

declare module '../settings.ts' {
  interface PlatformApps {
    readonly reddit: AppOf<typeof app>;
  }
  interface PlatformEndpoints extends Readonly<Record<keyof typeof endpoints, string>> {}
}
