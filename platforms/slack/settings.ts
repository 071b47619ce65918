/** What the operator of an install sets for Slack. */
import { type AppOf, appWithSecret, server } from '../settings.ts';

const app = appWithSecret(
  'slack',
  { id: 'SLACK_CLIENT_ID', secret: 'SLACK_CLIENT_SECRET' },
  {
    id: 'Client ID of your app at Slack, with which customers connect channels.',
  },
  'https://api.slack.com/apps',
);

const endpoints = {
  SLACK_API_URL: server('https://slack.com', "Server of Slack's API and of its consent page."),
};

export const settings = { app, endpoints };

declare module '../settings.ts' {
  interface PlatformApps {
    readonly slack: AppOf<typeof app>;
  }
  interface PlatformEndpoints extends Readonly<Record<keyof typeof endpoints, string>> {}
}
