/** What the operator of an install sets for Threads. */
import { type AppOf, appWithSecret, server } from '../settings.ts';

const app = appWithSecret(
  'threads',
  { id: 'THREADS_CLIENT_ID', secret: 'THREADS_CLIENT_SECRET' },
  {
    id: 'Threads app ID of your app at Meta, with which customers connect Threads accounts. It is not the App ID.',
    secret: 'Threads app secret of that app. Set together with the ID.',
  },
  'https://developers.facebook.com/apps',
);

const endpoints = {
  THREADS_API_URL: server('https://graph.threads.net', "Server of Threads' API."),
  THREADS_AUTH_URL: server('https://threads.net', 'Server of the Threads consent page.'),
};

export const settings = { app, endpoints };

declare module '../settings.ts' {
  interface PlatformApps {
    readonly threads: AppOf<typeof app>;
  }
  interface PlatformEndpoints extends Readonly<Record<keyof typeof endpoints, string>> {}
}
