/** What platforms need to know of the install, as the operator set it up. */

import type { MailServer } from './mail.ts';

/** Base URLs that the operator may override. */
export interface PlatformEndpoints {
  readonly BLUESKY_SERVICE_URL: string;
  /** Where the numbers of posts are read, without a login. */
  readonly BLUESKY_APPVIEW_URL: string;
  /** Where identity documents of accounts are kept. */
  readonly BLUESKY_PLC_URL: string;
  readonly DISCORD_API_URL: string;
  readonly LINKEDIN_API_URL: string;
  readonly LINKEDIN_AUTH_URL: string;
  readonly META_GRAPH_URL: string;
  readonly META_AUTH_URL: string;
  readonly REDDIT_API_URL: string;
  readonly REDDIT_AUTH_URL: string;
  readonly TELEGRAM_API_URL: string;
  readonly THREADS_API_URL: string;
  readonly THREADS_AUTH_URL: string;
  readonly X_API_URL: string;
  readonly X_AUTH_URL: string;
  /** Slack's page of consent is there too. */
  readonly SLACK_API_URL: string;
  readonly TWILIO_API_URL: string;
  /** Origin of this install, where the sandbox's pages are served. */
  readonly PUBLIC_URL: string;
}

/** What a platform knows this install by. */
export interface PlatformApp {
  readonly clientId: string;
  /** Undefined for an app that has none. */
  readonly clientSecret: string | undefined;
}

/** LinkedIn's app, which must ask for exactly what LinkedIn has granted it. */
export interface LinkedInApp extends Required<PlatformApp> {
  readonly scopes: readonly string[];
}

export interface DiscordApp extends PlatformApp {
  readonly clientSecret: string;
  /** Token of the app's bot; undefined where customers are to choose webhooks. */
  readonly botToken: string | undefined;
}

/** The account at Twilio that pays for this install's text messages. */
export interface TwilioAccount {
  readonly accountSid: string;
  readonly authToken: string;
  /** Number or name that messages come from, or the id of a messaging service. */
  readonly from: string;
}

/** The apps from configuration, by platform; null where the operator has registered none. */
export interface PlatformApps {
  readonly x: PlatformApp | null;
  readonly linkedin: LinkedInApp | null;
  readonly reddit: Required<PlatformApp> | null;
  readonly discord: DiscordApp | null;
  /** Facebook's and Instagram's. */
  readonly meta: Required<PlatformApp> | null;
  readonly threads: Required<PlatformApp> | null;
  readonly slack: Required<PlatformApp> | null;
  readonly twilio: TwilioAccount | null;
}

/** What the operator has to set up before a platform can be used at all. */
export interface InstallNeeds {
  /** Names of the settings. */
  readonly settings: readonly string[];
  isMet(install: { readonly apps: PlatformApps; readonly mail: MailServer | null }): boolean;
}
