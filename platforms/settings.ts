/** The operator's settings that platforms need. */

import type { MailServer } from './mail.ts';

/** Base URLs that the operator may override. */
export interface PlatformEndpoints {
  readonly BLUESKY_SERVICE_URL: string;
  /** Server that answers metrics reads without authentication. */
  readonly BLUESKY_APPVIEW_URL: string;
  /** Directory of the identity documents of accounts. */
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
  /** Also serves Slack's consent page. */
  readonly SLACK_API_URL: string;
  readonly TWILIO_API_URL: string;
  /** Origin of this install, which serves the sandbox's pages. */
  readonly PUBLIC_URL: string;
}

/** The app that identifies this install to a platform. */
export interface PlatformApp {
  readonly clientId: string;
  /** Undefined for an app without a secret. */
  readonly clientSecret: string | undefined;
}

/** LinkedIn's app, which must request exactly the scopes that LinkedIn granted it. */
export interface LinkedInApp extends Required<PlatformApp> {
  readonly scopes: readonly string[];
}

export interface DiscordApp extends PlatformApp {
  readonly clientSecret: string;
  /** Bot token of the app; undefined if customers are to choose webhooks. */
  readonly botToken: string | undefined;
}

/** The Twilio account that pays for this install's text messages. */
export interface TwilioAccount {
  readonly accountSid: string;
  readonly authToken: string;
  /** Sender number or name, or the id of a messaging service. */
  readonly from: string;
}

/** The configured apps by platform; null if the operator has registered none. */
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

/** Settings that the operator must configure before the platform can be used. */
export interface InstallNeeds {
  /** Names of the settings. */
  readonly settings: readonly string[];
  isMet(install: { readonly apps: PlatformApps; readonly mail: MailServer | null }): boolean;
}
