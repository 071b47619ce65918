/** What the operator of an install sets for X. */
import { type AppOf, defineApp, fee, secret, server, text } from '../settings.ts';

const app = defineApp({
  id: 'x',
  registerAt: 'https://developer.x.com/en/portal/dashboard',
  settings: {
    X_CLIENT_ID: text(
      'Client ID of your app at X, with which customers connect X accounts and access tokens are renewed. Unset: they expire after two hours.',
    ),
    X_CLIENT_SECRET: secret('Client secret of that app. Unset: the app is a public client.'),
  },
  dependent: { name: 'X_CLIENT_SECRET', needs: ['X_CLIENT_ID'] },
  read: ({ X_CLIENT_ID: clientId, X_CLIENT_SECRET: clientSecret }) =>
    clientId === undefined ? null : { clientId, clientSecret },
});

const endpoints = {
  X_API_URL: server('https://api.x.com', "Server of X's API."),
  X_AUTH_URL: server('https://x.com', "Server of X's consent page."),
};

const fees = {
  X_POST_FEE_CENTS: fee('Fee for a post to X on the plans `free` and `pro`.'),
  X_LINK_POST_FEE_CENTS: fee('Fee for a post to X with a link on those plans; never less than `X_POST_FEE_CENTS`.'),
  X_READ_FEE_CENTS: fee('Fee for reading the metrics of an X post on those plans: once a UTC day for each post.'),
};

export const settings = { app, endpoints, fees };

declare module '../settings.ts' {
  interface PlatformApps {
    readonly x: AppOf<typeof app>;
  }
  interface PlatformEndpoints extends Readonly<Record<keyof typeof endpoints, string>> {}
  interface PlatformFees extends Readonly<Record<keyof typeof fees, number>> {}
}
